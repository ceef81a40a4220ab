/**
 * The last frame of a video, shown in its place while it has none: while another connection begins, or while it is stopped.
 */
export class Still {
    /** To be placed under the video. */
    element = document.createElement("canvas");
    #video;

    /** @param {HTMLVideoElement} video */
    constructor(video) {
        this.#video = video;
        this.element.className = "still";
        // The video itself is described; the still is decoration.
        this.element.setAttribute("aria-hidden", "true");
        this.element.width = this.element.height = 0;
    }

    /** Takes the displayed frame. @returns {boolean} whether there was one */
    take() {
        const { videoWidth, readyState } = this.#video;
        if (!videoWidth || readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return false;
        this.#draw(this.#video, videoWidth, this.#video.videoHeight);
        return true;
    }

    /** Shows an image. @param {ImageBitmap} image */
    show(image) {
        this.#draw(image, image.width, image.height);
        image.close();
    }

    #draw(image, width, height) {
        this.element.width = width;
        this.element.height = height;
        this.element.getContext("2d").drawImage(image, 0, 0, width, height);
    }
}
