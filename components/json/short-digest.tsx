import { Copyable } from '#components/ui/controls/copyable.tsx'

/** The beginning and the end of a digest's hex, which is copied whole. `of` says what it is the hash of. */
export function ShortDigest({ digest, of }: { digest: string; of: string }) {
  return <Copyable value={digest.replace(/^sha256:/, '')} label={`SHA-256 of ${of}`} shorten="middle" />
}
