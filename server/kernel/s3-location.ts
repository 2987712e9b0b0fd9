/** A place in an S3-compatible store. `prefix` is empty or ends with a slash. */
export type S3Location = { bucket: string; prefix: string }

/** Reads `s3://bucket/prefix`; undefined for any other text. */
export function parseS3Location(text: string): S3Location | undefined {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/.exec(text) ?? []
  if (bucket === undefined) return undefined
  const prefix = path.replace(/^\/+|\/+$/g, '')
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}
