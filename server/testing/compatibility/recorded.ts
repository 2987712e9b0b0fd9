/** What an SDK sent when it was recorded, byte for byte. */
export type RecordedSdk = {
  /** Where the bytes come from. */
  origin: string
  /** The versions of the packages that sent them. */
  packages: Record<string, string>
  traceId: string
  requests: { path: string; contentType: string; contentEncoding: string | null; body: string }[]
}

export const recordedFolder = new URL('../../telemetry/recorded/', import.meta.url)
