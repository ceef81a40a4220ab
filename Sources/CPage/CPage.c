// A file is added in two places: its bytes, and its row in the table. Tests compare the table with the folder.
#include "CPage.h"

// #embed is of C23. Clang knows it in all versions of C, and warns of it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char grid_js[] = {
#embed "Files/grid.js"
};
static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};
static const unsigned char icons_svg[] = {
#embed "Files/icons.svg"
};
static const unsigned char index_html[] = {
#embed "Files/index.html"
};
static const unsigned char player_html[] = {
#embed "Files/player.html"
};
static const unsigned char player_js[] = {
#embed "Files/player.js"
};
static const unsigned char media_boxes_js[] = {
#embed "Files/media/boxes.js"
};
static const unsigned char media_capture_times_js[] = {
#embed "Files/media/capture-times.js"
};
static const unsigned char media_displayed_frames_js[] = {
#embed "Files/media/displayed-frames.js"
};
static const unsigned char media_hls_player_js[] = {
#embed "Files/media/hls-player.js"
};
static const unsigned char media_init_segment_js[] = {
#embed "Files/media/init-segment.js"
};
static const unsigned char media_live_edge_js[] = {
#embed "Files/media/live-edge.js"
};
static const unsigned char media_media_buffer_js[] = {
#embed "Files/media/media-buffer.js"
};
static const unsigned char media_media_file_js[] = {
#embed "Files/media/media-file.js"
};
static const unsigned char media_media_owner_js[] = {
#embed "Files/media/media-owner.js"
};
static const unsigned char media_media_socket_js[] = {
#embed "Files/media/media-socket.js"
};
static const unsigned char media_mse_player_js[] = {
#embed "Files/media/mse-player.js"
};
static const unsigned char media_playback_js[] = {
#embed "Files/media/playback.js"
};
static const unsigned char media_segment_reader_js[] = {
#embed "Files/media/segment-reader.js"
};
static const unsigned char media_snapshot_player_js[] = {
#embed "Files/media/snapshot-player.js"
};
static const unsigned char media_stall_js[] = {
#embed "Files/media/stall.js"
};
static const unsigned char media_still_js[] = {
#embed "Files/media/still.js"
};
static const unsigned char media_webrtc_player_js[] = {
#embed "Files/media/webrtc-player.js"
};
static const unsigned char operator_controls_editor_js[] = {
#embed "Files/operator/controls-editor.js"
};
static const unsigned char operator_histogram_plot_js[] = {
#embed "Files/operator/histogram-plot.js"
};
static const unsigned char operator_latency_panel_js[] = {
#embed "Files/operator/latency-panel.js"
};
static const unsigned char operator_log_panel_js[] = {
#embed "Files/operator/log-panel.js"
};
static const unsigned char operator_masks_editor_js[] = {
#embed "Files/operator/masks-editor.js"
};
static const unsigned char operator_setting_control_js[] = {
#embed "Files/operator/setting-control.js"
};
static const unsigned char operator_setting_row_js[] = {
#embed "Files/operator/setting-row.js"
};
static const unsigned char operator_setting_js[] = {
#embed "Files/operator/setting.js"
};
static const unsigned char operator_settings_panel_js[] = {
#embed "Files/operator/settings-panel.js"
};
static const unsigned char operator_slider_scale_js[] = {
#embed "Files/operator/slider-scale.js"
};
static const unsigned char operator_viewers_panel_js[] = {
#embed "Files/operator/viewers-panel.js"
};
static const unsigned char qr_codewords_js[] = {
#embed "Files/qr/codewords.js"
};
static const unsigned char qr_error_correction_js[] = {
#embed "Files/qr/error-correction.js"
};
static const unsigned char qr_mask_js[] = {
#embed "Files/qr/mask.js"
};
static const unsigned char qr_matrix_js[] = {
#embed "Files/qr/matrix.js"
};
static const unsigned char qr_qr_code_js[] = {
#embed "Files/qr/qr-code.js"
};
static const unsigned char qr_version_js[] = {
#embed "Files/qr/version.js"
};
static const unsigned char server_address_js[] = {
#embed "Files/server/address.js"
};
static const unsigned char server_api_js[] = {
#embed "Files/server/api.js"
};
static const unsigned char server_close_code_js[] = {
#embed "Files/server/close-code.js"
};
static const unsigned char server_connection_js[] = {
#embed "Files/server/connection.js"
};
static const unsigned char server_heartbeat_js[] = {
#embed "Files/server/heartbeat.js"
};
static const unsigned char server_pause_js[] = {
#embed "Files/server/pause.js"
};
static const unsigned char server_reachability_js[] = {
#embed "Files/server/reachability.js"
};
static const unsigned char server_retry_schedule_js[] = {
#embed "Files/server/retry-schedule.js"
};
static const unsigned char server_server_clock_js[] = {
#embed "Files/server/server-clock.js"
};
static const unsigned char server_status_feed_js[] = {
#embed "Files/server/status-feed.js"
};
static const unsigned char server_stream_list_js[] = {
#embed "Files/server/stream-list.js"
};
static const unsigned char server_stream_question_js[] = {
#embed "Files/server/stream-question.js"
};
static const unsigned char styles_grid_css[] = {
#embed "Files/styles/grid.css"
};
static const unsigned char styles_panels_css[] = {
#embed "Files/styles/panels.css"
};
static const unsigned char styles_player_css[] = {
#embed "Files/styles/player.css"
};
static const unsigned char styles_theme_css[] = {
#embed "Files/styles/theme.css"
};
static const unsigned char views_account_js[] = {
#embed "Files/views/account.js"
};
static const unsigned char views_addresses_panel_js[] = {
#embed "Files/views/addresses-panel.js"
};
static const unsigned char views_announcer_js[] = {
#embed "Files/views/announcer.js"
};
static const unsigned char views_banner_js[] = {
#embed "Files/views/banner.js"
};
static const unsigned char views_controls_js[] = {
#embed "Files/views/controls.js"
};
static const unsigned char views_description_js[] = {
#embed "Files/views/description.js"
};
static const unsigned char views_details_panel_js[] = {
#embed "Files/views/details-panel.js"
};
static const unsigned char views_element_js[] = {
#embed "Files/views/element.js"
};
static const unsigned char views_format_js[] = {
#embed "Files/views/format.js"
};
static const unsigned char views_grid_js[] = {
#embed "Files/views/grid.js"
};
static const unsigned char views_live_budget_js[] = {
#embed "Files/views/live-budget.js"
};
static const unsigned char views_player_urls_js[] = {
#embed "Files/views/player-urls.js"
};
static const unsigned char views_preferences_js[] = {
#embed "Files/views/preferences.js"
};
static const unsigned char views_publish_panel_js[] = {
#embed "Files/views/publish-panel.js"
};
static const unsigned char views_qr_image_js[] = {
#embed "Files/views/qr-image.js"
};
static const unsigned char views_stage_js[] = {
#embed "Files/views/stage.js"
};
static const unsigned char views_tabs_js[] = {
#embed "Files/views/tabs.js"
};
static const unsigned char views_tile_js[] = {
#embed "Files/views/tile.js"
};
static const unsigned char views_visibility_js[] = {
#embed "Files/views/visibility.js"
};
static const unsigned char webrtc_frame_times_js[] = {
#embed "Files/webrtc/frame-times.js"
};
static const unsigned char webrtc_ice_servers_js[] = {
#embed "Files/webrtc/ice-servers.js"
};
static const unsigned char webrtc_peer_session_js[] = {
#embed "Files/webrtc/peer-session.js"
};
static const unsigned char webrtc_publication_js[] = {
#embed "Files/webrtc/publication.js"
};
static const unsigned char webrtc_refusals_js[] = {
#embed "Files/webrtc/refusals.js"
};
static const unsigned char webrtc_session_resource_js[] = {
#embed "Files/webrtc/session-resource.js"
};

#define FILE(name, bytes) { name, bytes, sizeof bytes }

static const struct PageFileData files[] = {
    FILE("grid.js", grid_js),
    FILE("icon.svg", icon_svg),
    FILE("icons.svg", icons_svg),
    FILE("index.html", index_html),
    FILE("player.html", player_html),
    FILE("player.js", player_js),
    FILE("media/boxes.js", media_boxes_js),
    FILE("media/capture-times.js", media_capture_times_js),
    FILE("media/displayed-frames.js", media_displayed_frames_js),
    FILE("media/hls-player.js", media_hls_player_js),
    FILE("media/init-segment.js", media_init_segment_js),
    FILE("media/live-edge.js", media_live_edge_js),
    FILE("media/media-buffer.js", media_media_buffer_js),
    FILE("media/media-file.js", media_media_file_js),
    FILE("media/media-owner.js", media_media_owner_js),
    FILE("media/media-socket.js", media_media_socket_js),
    FILE("media/mse-player.js", media_mse_player_js),
    FILE("media/playback.js", media_playback_js),
    FILE("media/segment-reader.js", media_segment_reader_js),
    FILE("media/snapshot-player.js", media_snapshot_player_js),
    FILE("media/stall.js", media_stall_js),
    FILE("media/still.js", media_still_js),
    FILE("media/webrtc-player.js", media_webrtc_player_js),
    FILE("operator/controls-editor.js", operator_controls_editor_js),
    FILE("operator/histogram-plot.js", operator_histogram_plot_js),
    FILE("operator/latency-panel.js", operator_latency_panel_js),
    FILE("operator/log-panel.js", operator_log_panel_js),
    FILE("operator/masks-editor.js", operator_masks_editor_js),
    FILE("operator/setting-control.js", operator_setting_control_js),
    FILE("operator/setting-row.js", operator_setting_row_js),
    FILE("operator/setting.js", operator_setting_js),
    FILE("operator/settings-panel.js", operator_settings_panel_js),
    FILE("operator/slider-scale.js", operator_slider_scale_js),
    FILE("operator/viewers-panel.js", operator_viewers_panel_js),
    FILE("qr/codewords.js", qr_codewords_js),
    FILE("qr/error-correction.js", qr_error_correction_js),
    FILE("qr/mask.js", qr_mask_js),
    FILE("qr/matrix.js", qr_matrix_js),
    FILE("qr/qr-code.js", qr_qr_code_js),
    FILE("qr/version.js", qr_version_js),
    FILE("server/address.js", server_address_js),
    FILE("server/api.js", server_api_js),
    FILE("server/close-code.js", server_close_code_js),
    FILE("server/connection.js", server_connection_js),
    FILE("server/heartbeat.js", server_heartbeat_js),
    FILE("server/pause.js", server_pause_js),
    FILE("server/reachability.js", server_reachability_js),
    FILE("server/retry-schedule.js", server_retry_schedule_js),
    FILE("server/server-clock.js", server_server_clock_js),
    FILE("server/status-feed.js", server_status_feed_js),
    FILE("server/stream-list.js", server_stream_list_js),
    FILE("server/stream-question.js", server_stream_question_js),
    FILE("styles/grid.css", styles_grid_css),
    FILE("styles/panels.css", styles_panels_css),
    FILE("styles/player.css", styles_player_css),
    FILE("styles/theme.css", styles_theme_css),
    FILE("views/account.js", views_account_js),
    FILE("views/addresses-panel.js", views_addresses_panel_js),
    FILE("views/announcer.js", views_announcer_js),
    FILE("views/banner.js", views_banner_js),
    FILE("views/controls.js", views_controls_js),
    FILE("views/description.js", views_description_js),
    FILE("views/details-panel.js", views_details_panel_js),
    FILE("views/element.js", views_element_js),
    FILE("views/format.js", views_format_js),
    FILE("views/grid.js", views_grid_js),
    FILE("views/live-budget.js", views_live_budget_js),
    FILE("views/player-urls.js", views_player_urls_js),
    FILE("views/preferences.js", views_preferences_js),
    FILE("views/publish-panel.js", views_publish_panel_js),
    FILE("views/qr-image.js", views_qr_image_js),
    FILE("views/stage.js", views_stage_js),
    FILE("views/tabs.js", views_tabs_js),
    FILE("views/tile.js", views_tile_js),
    FILE("views/visibility.js", views_visibility_js),
    FILE("webrtc/frame-times.js", webrtc_frame_times_js),
    FILE("webrtc/ice-servers.js", webrtc_ice_servers_js),
    FILE("webrtc/peer-session.js", webrtc_peer_session_js),
    FILE("webrtc/publication.js", webrtc_publication_js),
    FILE("webrtc/refusals.js", webrtc_refusals_js),
    FILE("webrtc/session-resource.js", webrtc_session_resource_js),
};

const struct PageFileData *pageFileData(void) { return files; }

const unsigned long pageFileDataCount = sizeof files / sizeof files[0];
