import { Broken } from './bytes.ts'
import { most } from './limits.ts'

/** The five questions that a reader of an archive has, in the order in which they are answered. */
export const verdictNames = ['integrity', 'origin', 'log', 'completeness', 'freshness'] as const
export type VerdictName = (typeof verdictNames)[number]

/** `not checked`: it could hold, and something is needed to know; the detail says what. */
export type State = 'holds' | 'fails' | 'not checked'
/** `aside`: it says what no check can be about, in any archive, and so does not count in the verdict. */
export type Check = { verdict: VerdictName; name: string; state: State; detail: string; aside?: true }

/** What an archive says of itself. `sealed`: the signature in the archive is over these statements. */
export type About = {
  sealed: boolean
  exportId: string
  formatVersion: number
  tenant: { externalId: string; name: string }
  /** What it covers, in ISO 8601; the end is not part of it. */
  period: { start: string; end: string }
  /** What was asked for, from version 2 on. */
  requested: { start: string; end: string } | undefined
  sealedAt: string
  /** What it is limited to, in words; undefined for everything in its period. */
  scope: string | undefined
  /** The address of the authority whose time-stamp the archive has. */
  timeStampAuthority: string | undefined
  masked: boolean
  withProofs: boolean
  /** Records by kind, in the order of the archive. */
  contents: { name: string; records: number }[]
  /** What was left out, by reason; undefined if the list can't be read. */
  omissions: { reason: string; count: number }[] | undefined
  /** Days of the log that went on after their last checkpoint in the archive. */
  openDays: string[]
}

export type Report = {
  exportId: string
  about: About | undefined
  /** The archive's key: SHA-256 of its DER, in hex. */
  fingerprint: string | undefined
  verdicts: Record<VerdictName, State>
  checks: Check[]
  /** All five verdicts hold. */
  everything: boolean
}

/** One check that holds. Throw NotChecked, or Broken for what fails. */
type Work = () => Promise<string>

/** Something outside the archive is needed for this check; the message names it. */
export class NotChecked extends Error {}

export type Checker = {
  /** Adds what `work` finds; false unless it holds. Never throws. */
  check(verdict: VerdictName, name: string, work: Work): Promise<boolean>
  /** Adds a check that can't be made. */
  skip(verdict: VerdictName, name: string, needed: string): void
  /** Says what no check can be about. */
  aside(verdict: VerdictName, name: string, detail: string): void
}

/** Collects checks; `said` receives each as it completes. */
export function checker(checks: Check[], said: ((check: Check) => void) | undefined): Checker {
  const add = (found: Check) => {
    const check = { ...found, detail: briefly(found.detail) }
    checks.push(check)
    said?.(check)
    return check.state === 'holds'
  }
  return {
    async check(verdict, name, work) {
      return add(
        await work().then(
          (detail): Check => ({ verdict, name, state: 'holds', detail }),
          (error: unknown): Check => ({ verdict, name, ...failureOf(error) }),
        ),
      )
    },
    skip: (verdict, name, needed) => void add({ verdict, name, state: 'not checked', detail: needed }),
    aside: (verdict, name, detail) => void add({ verdict, name, state: 'not checked', detail, aside: true }),
  }
}

/** A text that may contain one from the archive. A copy: a part of a long text would keep the whole in memory. */
const briefly = (text: string): string =>
  text.length <= most.detail ? text : `${Array.from(text.slice(0, most.detail)).join('')}…`

/** The browser or the disk can't read the chosen file any more; that says nothing about its content. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DOMException && ['NotReadableError', 'NotFoundError'].includes(error.name)
export const unreadable = 'The file can’t be read any more. Choose it again.'

const failureOf = (error: unknown): { state: State; detail: string } => {
  if (isUnreadable(error)) return { state: 'not checked', detail: unreadable }
  if (error instanceof NotChecked) return { state: 'not checked', detail: error.message }
  if (error instanceof Broken) return { state: 'fails', detail: error.message }
  if (error instanceof RangeError && error.message.includes('call stack'))
    return { state: 'fails', detail: 'Something in it has more levels than the service writes.' }
  // A content that no check foresaw must not look like one that holds.
  return { state: 'fails', detail: `It is malformed: ${error instanceof Error ? error.message : String(error)}` }
}

/** Fails when one check fails, holds when all hold and there is one. */
export function verdictsOf(checks: readonly Check[]): Record<VerdictName, State> {
  const verdictOf = (name: VerdictName): State => {
    const states = checks.filter(({ verdict, aside }) => verdict === name && aside !== true).map(({ state }) => state)
    if (states.includes('fails')) return 'fails'
    return states.length === 0 || states.includes('not checked') ? 'not checked' : 'holds'
  }
  const [integrity, origin, log, completeness, freshness] = verdictNames.map(verdictOf) as [
    State,
    State,
    State,
    State,
    State,
  ]
  return { integrity, origin, log, completeness, freshness }
}
