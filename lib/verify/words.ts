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

/** What to say of an archive before any verdict, as label and text. */
export function aboutLines(about: About): [label: string, text: string][] {
  const { exportId, tenant, period, requested, scope, sealed, sealedAt, masked, contents, omissions, openDays } = about
  const { timeStampAuthority } = about
  return [
    ...row(!sealed, 'Not sealed', 'No signature covers what follows: it is only claimed.'),
    ...row(isDemoTenant(tenant.externalId), 'Demo', demoMark),
    ['Archive', exportId],
    ['Organisation', `${tenant.name} (${tenant.externalId})`],
    ['Period', `${inWords(period.start)} to ${inWords(period.end)} (UTC)`],
    ...row(
      requested !== undefined && (requested.start !== period.start || requested.end !== period.end),
      'Requested',
      requested === undefined ? '' : `${inWords(requested.start)} to ${inWords(requested.end)} (UTC)`,
    ),
    ...row(scope !== undefined, 'Limited to', scope ?? ''),
    ['Sealed', `${inWords(sealedAt)} (UTC)`],
    ...row(timeStampAuthority !== undefined, 'Time-stamp', `by ${timeStampAuthority}`),
    ['Contents', contentsOf(contents)],
    ['Sensitive values', masked ? 'masked' : 'unmasked'],
    [
      'Left out',
      omissions === undefined
        ? 'The list can’t be read.'
        : omissions.map(({ reason, count }) => `${count} ${reason.replaceAll('_', ' ')}`).join(', ') || 'nothing',
    ],
    ...row(openDays.length > 0, 'Days not closed', openDays.join(', ')),
  ]
}

/** The archive's key as label and text: twelve words to compare over a telephone, and the whole fingerprint. */
export const keyLines = (fingerprint: string): [label: string, text: string][] => [
  ['Key in words', wordsOf(fingerprint).join(' ')],
  ['Key fingerprint', fingerprint],
]

const row = (shown: boolean, label: string, text: string): [string, string][] => (shown ? [[label, text]] : [])

/** Kinds with their number of records, without those that are empty. */
const contentsOf = (contents: About['contents']): string =>
  contents
    .filter(({ records }) => records > 0)
    .map(({ name, records }) => `${name === 'audit' ? 'audit records' : name.replaceAll('-', ' ')} (${records})`)
    .join(', ') || 'nothing'

const inWords = (time: string): string => time.replace('T', ' ').replace(/(?::00)?(?:\.\d+)?Z$/, '')
