import * as t from '#components/texts/digests/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'

/** The beginning and end of a digest in hex; copying copies all of it. `of` names the hashed object. */
export function ShortDigest({ digest, of }: { digest: string; of: string }) {
  return <Copyable value={digest.replace(/^sha256:/, '')} label={t.digestOf({ of })} shorten="middle" />
}
