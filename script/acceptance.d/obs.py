"""OBS, which publishes a scene and records what it publishes, on a virtual screen with a scratch home."""
import json
import os
import shutil
from pathlib import Path

from streams import folder, start, wait

# Of the video and audio that OBS encodes here.
SECOND_BYTES = 200_000
is_installed = bool(shutil.which("obs") and shutil.which("Xvfb"))


class OBS:
    """A running OBS. Its scene is a file that is repeated; it encodes the scene once, for the server and for its recording."""

    def __init__(self, name, clip, server, key):
        self.home, self.display = Path(folder, name), self.free_display()
        settings = self.home / ".config/obs-studio"
        profile, scenes = settings / "basic/profiles/Acceptance", settings / "basic/scenes"
        for directory in (profile, scenes, self.home / "recordings"):
            directory.mkdir(parents=True)
        # With FirstRun and LastVersion it asks nothing.
        (settings / "global.ini").write_text(
            "[General]\nFirstRun=true\nLastVersion=486539266\nEnableAutoUpdates=false\n"
            "[Basic]\nProfile=Acceptance\nProfileDir=Acceptance\nSceneCollection=Acceptance\nSceneCollectionFile=Acceptance\n")
        (profile / "basic.ini").write_text(
            "[General]\nName=Acceptance\n[Output]\nMode=Simple\n"
            # The recording gets the packets of the stream's encoder.
            f"[SimpleOutput]\nStreamEncoder=x264\nVBitrate=1500\nABitrate=128\nUseAdvanced=true\nx264Settings=keyint=60\nRecQuality=Stream\nRecFormat=mkv\n"
            f"FilePath={self.home}/recordings\n"
            "[Video]\nBaseCX=640\nBaseCY=360\nOutputCX=640\nOutputCY=360\nFPSCommon=30\n")
        (profile / "service.json").write_text(json.dumps(
            {"type": "rtmp_custom", "settings": {"server": server, "key": key, "use_auth": False, "bwtest": False}}))
        (scenes / "Acceptance.json").write_text(json.dumps(self.scene(clip)))
        screen = ["Xvfb", f":{self.display}", "-screen", "0", "1280x720x24", "-nolisten", "tcp"]
        self.screen = start(screen)
        if not wait(10, lambda: os.path.exists(f"/tmp/.X11-unix/X{self.display}")):
            raise SystemExit("Xvfb did not start")
        command = ["obs", "--startstreaming", "--startrecording", "--minimize-to-tray", "--disable-updater", "--multi",
                   "--profile", "Acceptance", "--collection", "Acceptance"]
        environment = dict(os.environ, HOME=str(self.home), DISPLAY=f":{self.display}", LIBGL_ALWAYS_SOFTWARE="1")
        with open(self.home / "log", "wb") as log:
            self.process = start(command, env=environment, stdout=log, stderr=log)

    @staticmethod
    def free_display():
        return next(number for number in range(100, 1000) if not os.path.exists(f"/tmp/.X{number}-lock"))

    @staticmethod
    def scene(clip):
        item = {"name": "Clip", "id": 1, "visible": True, "pos": {"x": 0.0, "y": 0.0}, "scale": {"x": 1.0, "y": 1.0}}
        return {
            "name": "Acceptance", "current_scene": "Scene", "current_program_scene": "Scene", "scene_order": [{"name": "Scene"}],
            "groups": [], "transitions": [],
            "sources": [
                {"id": "scene", "name": "Scene", "settings": {"custom_size": False, "id_counter": 1, "items": [item]}},
                {"id": "ffmpeg_source", "name": "Clip", "mixers": 255, "settings": {"local_file": str(clip), "looping": True}},
            ]}

    def finished_recording(self):
        """The file with what it has published. It is written later than the stream is sent, so OBS goes on until it has grown by a second."""
        file = next((self.home / "recordings").iterdir())
        if self.process.poll() is None:
            size = file.stat().st_size
            wait(10, lambda: file.stat().st_size > size + SECOND_BYTES)
            self.stop()
        return file

    def log(self):
        return (self.home / "log").read_text(errors="replace")

    def stop(self):
        for process in (self.process, self.screen):
            process.terminate()
            process.wait()
