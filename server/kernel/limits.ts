/**
 * Limits of what a request may contain. They are checked while it is read, before there is an object for anything in it.
 * docs/limits.md lists them for callers; server/kernel/limits.test.ts compares the two.
 */
export const wireLimits = {
  json: {
    /** Bytes of a JSON body, and of an input event. */
    bytes: 1024 * 1024,
    /** Values and member names in one JSON text. Each is copied, validated, hashed and encrypted. */
    values: 20_000,
    /** Levels of objects and lists; deeper values could overflow the stack of recursive code. */
    depth: 100,
  },
  /** A message on a socket, and the time until the first one has to name a caller. */
  socket: { bytes: 64 * 1024, values: 1_000, credentialsMs: 10_000 },
  /** Calls in one request, as procedures or as messages of the Model Context Protocol. */
  calls: 10,
  manifest: {
    bytes: 64 * 1024,
    /** After aliases are expanded. */
    values: 20_000,
    depth: 50,
    aliases: 50,
  },
  telemetry: {
    /** After decompression. */
    bytes: 16 * 1024 * 1024,
    spans: 20_000,
    /** Attributes, elements of lists, events and links. */
    values: 400_000,
    /** Resources and scopes. */
    groups: 40_000,
    /** Fields of Protocol Buffers, or values of JSON, in one span, resource or scope: it is decoded in one piece. */
    fieldsInOne: 100_000,
    /** Levels of lists within an attribute. */
    depth: 32,
    /** Keys and values that are not masked, of one span or resource: they are one line of an archive. */
    shownBytes: 6 * 1024 * 1024,
  },
  arrival: {
    /** Until the last header has arrived. */
    headersMs: 10_000,
    /** How long the server waits for a body in all, before its size is considered. */
    bodyMs: 20_000,
    /** How often bodies are checked. */
    lookMs: 1000,
    /** Each of these bytes that has arrived gives the rest of the body another second. */
    bodyBytesPerSecond: 8 * 1024,
  },
} as const
