/// H.264 / MPEG-4 AVC (ITU-T Rec. H.264, ISO/IEC 14496-10).
public enum H264 {}
