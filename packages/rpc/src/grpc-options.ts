const maxMessageBytes = 48 * 1024 * 1024;
export const maxReconnectMs = 500;

export const clientOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': maxReconnectMs,
  // A process that hangs or a host that is gone is detected within 10 s.
  'grpc.keepalive_time_ms': 5000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.enable_channelz': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};

export const serverOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  // A caller that hangs or whose host is gone is detected within 20 s, and its calls are cancelled.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.enable_channelz': 0,
};
