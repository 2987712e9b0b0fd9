import { Broken, fromBase64, type Json, member, minuteOf, textMember } from './bytes.ts'
import { counted } from './counted.ts'
import { continues, type LogKey, type Note, parseNote, restoredName, signerOf } from './note.ts'
import { NotChecked } from './report.ts'

// Up to when the archive knows. It holds when its newest head is shown to be part of a head from elsewhere.

/** What an archive knows last of the log: of the log of closed days, and of a day that was still open. */
export type Heads = { seals: Note | undefined; open: Note | undefined }

/** In words: the newest head in an archive, and the age of the archive by this computer's clock. */
export function knownUntil(
  { heads: { seals, open }, closedUntil }: { heads: Heads; closedUntil: string | undefined },
  sealedAt: string,
): string {
  const through = closedUntil === undefined ? '' : `, up to ${closedUntil}`
  const head =
    open !== undefined
      ? `${counted(open.size, 'record', 'records')} of ${open.origin.slice(-10)}`
      : seals !== undefined
        ? `${counted(seals.size, 'closed day', 'closed days')}${through}`
        : undefined
  const at = Date.parse(sealedAt)
  return head === undefined
    ? ''
    : `It knows the log up to ${minuteOf(at)}, ${ageOf(Date.now() - at)}: its newest head has ${head}.`
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

function ageOf(ms: number): string {
  if (!(ms >= 0)) return 'a time that has not come by this computer’s clock'
  const [unit, name] = ms < 2 * hour ? [minute, 'minute'] : ms < 2 * day ? [hour, 'hour'] : [day, 'day']
  return `${counted(Math.floor(ms / unit), name, `${name}s`)} ago`
}

/** Adds the date to what the work finds, also if it finds that something is missing. */
export async function dated(until: string, work: () => Promise<string>): Promise<string> {
  const text = await work().catch((error: unknown) => {
    throw error instanceof NotChecked ? new NotChecked(`${error.message} ${until}`.trim()) : error
  })
  return `${text} ${until}`.trim()
}

/**
 * Each head of the archive is the beginning of the head that the service publishes now. `live` is `heads` of log-keys.json,
 * asked for with the sizes that the archive has; `keysFor` gives the service's log keys under the name of a log.
 */
export async function checkLive(
  { seals, open }: Heads,
  live: Json | undefined,
  keysFor: (origin: string) => LogKey[],
): Promise<string> {
  if (seals === undefined && open === undefined)
    throw new NotChecked('The archive doesn’t contain a signed head of the log.')
  const shown: string[] = []
  const breaks = new Set<string>()
  for (const [own, published, what] of [
    [seals, member(live, 'seals'), 'closed days'],
    [open, member(live, 'day'), 'records of the open day'],
  ] as const) {
    if (own === undefined) continue
    if (published === undefined || published === null)
      throw new NotChecked(`The service’s current head of the ${what} is needed.`)
    const later = parseNote(textMember(published, 'note', 'The published head'))
    if (pathOf(later) !== pathOf(own))
      throw new Broken(`The service publishes the head of a different log: ${later.origin}.`)
    await signerOf(later, keysFor(later.origin))
    const proof = member(published, 'consistency')
    const path = Array.isArray(proof) ? proof.map((hash) => fromBase64(String(hash))) : []
    const restored = restoredName(later)
    if (restored !== undefined && restored !== restoredName(own)) {
      if (!continues(own, later, path))
        throw new Broken(
          `The service’s log was restored from a backup, which lacks the archive’s ${own.size} ${what}: it continues as ${later.origin}.`,
        )
      breaks.add(later.origin)
    }
    if (later.size < own.size)
      throw new Broken(
        `The service publishes ${later.size} ${what}, but the archive has ${own.size}: its log went back.`,
      )
    if (!continues(own, later, path))
      throw new Broken(`The service’s log of ${what} does not continue the archive’s: one of them was rewritten.`)
    shown.push(`${own.size} of ${later.size} ${what}`)
  }
  const since =
    breaks.size === 0 ? '' : ` It was restored from a backup since, and continues as ${[...breaks].join(', ')}.`
  return `The log that the service publishes now continues the archive’s: ${shown.join(', ')}.${since}`
}

/** Days that are asked for one after the other. An export around midnight leaves two days open. */
const mostAsked = 7

/** Days that were open before the newest one are part of the heads that the service publishes of them. NotChecked without these heads. */
export async function checkOpenBefore(
  heads: readonly Note[],
  keysFor: (origin: string) => LogKey[],
  published: (open: Note) => Promise<Json> | undefined,
): Promise<void> {
  for (const [index, open] of heads.toReversed().entries()) {
    const date = open.origin.slice(-10)
    const needed = new NotChecked(`The service’s current head of the records of ${date} is needed, too.`)
    if (index >= mostAsked) throw needed
    const live = member((await published(open)?.catch(() => undefined)) ?? null, 'heads')
    if (member(member(live, 'day'), 'date') !== date) throw needed
    await checkLive({ seals: undefined, open }, live, keysFor)
  }
}

/** Without the host, which may have changed since, and the name of a restore: the keys say whose log it is. */
const pathOf = ({ origin }: Note): string => origin.slice(origin.indexOf('/t/'))
