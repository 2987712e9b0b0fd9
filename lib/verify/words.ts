import { demoMark, isDemoTenant } from './demo.ts'
import { wordsOf } from './fingerprint/words.ts'
import type { About, Report, VerdictName } from './report.ts'

// How the verdicts are put into words, the same in the console, in verify.html and on the command line.

export const questions: Record<VerdictName, { title: string; question: string }> = {
  integrity: { title: 'Integrity', question: 'Are these the bytes that were sealed?' },
  origin: { title: 'Origin', question: 'Did this service seal them?' },
  log: { title: 'Log', question: 'Does every record belong to the signed log?' },
  completeness: { title: 'Completeness', question: 'Is everything here that the log says must be here?' },
  freshness: { title: 'Freshness', question: 'Is its log part of the one that others see now?' },
}

/** What the whole archive is worth, in a sentence or two: that of a demo tenant is marked, whatever its verdicts are. */
export function conclusionOf({
  verdicts,
  everything,
  about,
}: Pick<Report, 'verdicts' | 'everything' | 'about'>): string {
  const states = Object.values(verdicts)
  if (states.includes('fails')) return 'This archive is not valid. Do not rely on it.'
  const mark = isDemoTenant(about?.tenant.externalId) ? ` ${demoMark}` : ''
  if (everything) return `Everything agrees.${mark}`
  return `Nothing contradicts itself, but not everything could be checked.${mark}`
}

/** The labels and texts of what an archive says of itself. The console has them in its own languages. */
export type AboutWords = {
  notSealed: string
  onlyClaimed: string
  demo: string
  demoMark: string
  archive: string
  organisation: string
  period: string
  requested: string
  /** Both in UTC, to the minute. */
  range(start: string, end: string): string
  limitedTo: string
  sealed: string
  at(time: string): string
  timeStamp: string
  by(authority: string): string
  contents: string
  /** `kind`: the name of a file of the archive, such as `audit` or `approval-votes`. */
  records(kind: string, count: number): string
  nothing: string
  sensitive: string
  masked: string
  unmasked: string
  leftOut: string
  unreadable: string
  /** `reason`: a code, such as `retention_expired`. */
  omitted(reason: string, count: number): string
  openDays: string
}

export const englishAbout: AboutWords = {
  notSealed: 'Not sealed',
  onlyClaimed: 'No signature covers what follows: it is only claimed.',
  demo: 'Demo',
  demoMark,
  archive: 'Archive',
  organisation: 'Organisation',
  period: 'Period',
  requested: 'Requested',
  range: (start, end) => `${start} to ${end} (UTC)`,
  limitedTo: 'Limited to',
  sealed: 'Sealed',
  at: (time) => `${time} (UTC)`,
  timeStamp: 'Time-stamp',
  by: (authority) => `by ${authority}`,
  contents: 'Contents',
  records: (kind, count) => `${kind === 'audit' ? 'audit records' : kind.replaceAll('-', ' ')} (${count})`,
  nothing: 'nothing',
  sensitive: 'Sensitive values',
  masked: 'masked',
  unmasked: 'unmasked',
  leftOut: 'Left out',
  unreadable: 'The list can’t be read.',
  omitted: (reason, count) => `${count} ${reason.replaceAll('_', ' ')}`,
  openDays: 'Days not closed',
}

/** What to say of an archive before any verdict, as label and text. */
export function aboutLines(about: About, words: AboutWords = englishAbout): [label: string, text: string][] {
  const { exportId, tenant, period, requested, scope, sealed, sealedAt, masked, contents, omissions, openDays } = about
  const { timeStampAuthority } = about
  const range = ({ start, end }: About['period']) => words.range(inWords(start), inWords(end))
  return [
    ...row(!sealed, words.notSealed, words.onlyClaimed),
    ...row(isDemoTenant(tenant.externalId), words.demo, words.demoMark),
    [words.archive, exportId],
    [words.organisation, `${tenant.name} (${tenant.externalId})`],
    [words.period, range(period)],
    ...row(
      requested !== undefined && (requested.start !== period.start || requested.end !== period.end),
      words.requested,
      requested === undefined ? '' : range(requested),
    ),
    ...row(scope !== undefined, words.limitedTo, scope ?? ''),
    [words.sealed, words.at(inWords(sealedAt))],
    ...row(timeStampAuthority !== undefined, words.timeStamp, words.by(timeStampAuthority ?? '')),
    [words.contents, contentsOf(contents, words)],
    [words.sensitive, masked ? words.masked : words.unmasked],
    [
      words.leftOut,
      omissions === undefined
        ? words.unreadable
        : omissions.map(({ reason, count }) => words.omitted(reason, count)).join(', ') || words.nothing,
    ],
    ...row(openDays.length > 0, words.openDays, openDays.join(', ')),
  ]
}

/** The archive's key as label and text: twelve words to compare over a telephone, and the whole fingerprint. */
export const keyLines = (fingerprint: string): [label: string, text: string][] => [
  ['Key in words', wordsOf(fingerprint).join(' ')],
  ['Key fingerprint', fingerprint],
]

const row = (shown: boolean, label: string, text: string): [string, string][] => (shown ? [[label, text]] : [])

/** Kinds with their number of records, without those that are empty. */
const contentsOf = (contents: About['contents'], words: AboutWords): string =>
  contents
    .filter(({ records }) => records > 0)
    .map(({ name, records }) => words.records(name, records))
    .join(', ') || words.nothing

const inWords = (time: string): string => time.replace('T', ' ').replace(/(?::00)?(?:\.\d+)?Z$/, '')
