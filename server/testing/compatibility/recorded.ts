/** The recorded requests of an SDK, byte for byte. */
export type RecordedSdk = {
  /** The source of the bytes. */
  origin: string
  /** The versions of the packages that sent them. */
  packages: Record<string, string>
  traceId: string
  requests: { path: string; contentType: string; contentEncoding: string | null; body: string }[]
}

export const recordedFolder = new URL('../../telemetry/recorded/', import.meta.url)
