import { ReleaseContent } from './content.ts'

// Content with a given digest never changes, so it is parsed once for all that use the release. Owner: this module.
const parsed = new Map<string, ReleaseContent>()
const mostKept = 200

/** The content with this digest, if this process knows it. */
export const knownContent = (digest: string): ReleaseContent | undefined => parsed.get(digest)

/** The same, parsed from its database value unless it is known. The row of the release must be the one that the log commits to. */
export function parsedContent(digest: string, content: () => unknown): ReleaseContent {
  const known = parsed.get(digest)
  if (known !== undefined) return known
  const made = ReleaseContent.parse(content())
  const [oldest] = parsed.keys()
  if (parsed.size >= mostKept && oldest !== undefined) parsed.delete(oldest)
  parsed.set(digest, made)
  return made
}
