import { Broken, canonical, hex, type Json, member, sha256OfText } from '../bytes.ts'
import { all, counted } from '../counted.ts'
import { stateIn } from '../obligations.ts'
import { NotChecked } from '../report.ts'

// What people and policies decided about, in an archive with raw payloads: the digest that they decided on is that of the request
// in the archive.

/** Collects requests from rows of approvals and decisions, and then says whether each has its digest. */
export function requestDigests() {
  let [same, removed] = [0, 0]
  let wrong: string | undefined
  return {
    any: () => same + removed > 0 || wrong !== undefined,
    /** Rows of other types, and those without their values, are ignored. */
    add(type: string, row: Json) {
      const named = requestColumns.get(type)
      const request = named === undefined ? undefined : openedIn(row, named.request)
      if (named === undefined || request === undefined) return
      const stated = member(stateIn(row), named.digest)
      const digest =
        type === 'approval' ? approvalDigest(request, openedIn(row, 'presentation')) : canonicalDigest(request)
      if (digest === stated) same += 1
      // Removed texts are missing from the request, and not from the digest of what it was.
      else if (digest === undefined || isPartlyRemoved(row)) removed += 1
      else wrong ??= `${type} ${String(member(stateIn(row), 'id'))}`
    },
    check(): string {
      if (wrong !== undefined) throw new Broken(`The digest of ${wrong} is not the one of its request in the archive.`)
      if (removed > 0)
        throw new NotChecked(
          `${counted(same, 'request has', 'requests have')} the digest that was decided on; parts of ${removed} were removed.`,
        )
      return `${all(same, 'request has', 'requests have')} the digest that people and policies decided on.`
    },
  }
}

const requestColumns = new Map([
  ['approval', { request: 'payload', digest: 'payloadDigest' }],
  ['decision', { request: 'request', digest: 'inputDigest' }],
])

/** The value of a column of content, if the archive opens it. */
const openedIn = (row: Json, column: string): Json | undefined => member(member(member(row, 'values'), column), 'value')

const isPartlyRemoved = (row: Json): boolean => typeof member(row, 'contentGone') === 'string'

const canonicalDigest = (value: Json): string => `sha256:${hex(sha256OfText(canonical(value)))}`

/** From form 2 on, the digest also covers what the page showed; undefined if the archive can't show that. */
function approvalDigest(payload: Json, shown: Json | undefined): string | undefined {
  const content = canonicalDigest(payload)
  if (member(payload, 'form') !== 2) return content
  return shown === undefined ? undefined : canonicalDigest({ content, shown })
}
