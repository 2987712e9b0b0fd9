import * as t from '#components/texts/verify/en.ts'
import { isDemoTenant } from '#lib/verify/demo.ts'
import type { Report, VerdictName } from '#lib/verify/report.ts'
import type { AboutWords } from '#lib/verify/words.ts'

// What lib/verify/words.ts says in English in an archive and on the command line, in the language of the page. A test compares the
// English of both. The details of checks are in English everywhere: they can be compared with those of verify.mjs word by word.

export const questions: Record<VerdictName, { title: string; question: string }> = {
  integrity: { title: t.integrity, question: t.integrityAsks },
  origin: { title: t.origin, question: t.originAsks },
  log: { title: t.log, question: t.logAsks },
  completeness: { title: t.completeness, question: t.completenessAsks },
  freshness: { title: t.freshness, question: t.freshnessAsks },
}

/** What the whole archive is worth. */
export function conclusionText({
  verdicts,
  everything,
  about,
}: Pick<Report, 'verdicts' | 'everything' | 'about'>): string {
  if (Object.values(verdicts).includes('fails')) return t.invalid
  const demo = isDemoTenant(about?.tenant.externalId)
  if (everything) return demo ? t.everythingDemo : t.everything
  return demo ? t.partlyDemo : t.partly
}

export const aboutWords: AboutWords = {
  notSealed: t.notSealed,
  onlyClaimed: t.onlyClaimed,
  demo: t.demo,
  demoMark: t.demoMark,
  archive: t.archive,
  organisation: t.organisation,
  period: t.period,
  requested: t.requested,
  range: (start, end) => t.range({ start, end }),
  limitedTo: t.limitedTo,
  sealed: t.sealed,
  at: (time) => t.atUtc({ time }),
  timeStamp: t.timeStamp,
  by: (authority) => t.by({ authority }),
  contents: t.contents,
  // The case of a message can't have a hyphen.
  records: (kind, count) => t.records({ kind: kind.replaceAll('-', '_'), count: String(count) }),
  nothing: t.nothing,
  sensitive: t.sensitive,
  masked: t.masked,
  unmasked: t.unmasked,
  leftOut: t.leftOut,
  unreadable: t.unreadable,
  omitted: (reason, count) => t.omitted({ reason, count: String(count) }),
  openDays: t.openDays,
}
