import { tlsReason } from '#lib/text/tls-reason.ts'

/** What a check found. `advice`: what to do; every failure and every warning has one. */
export type Finding =
  | { level: 'ok'; subject: Subject; text: string }
  | { level: 'warning' | 'failed'; subject: Subject; text: string; advice: string }

export type Subject =
  | 'Settings'
  | 'Folders'
  | 'Keys'
  | 'Database'
  | 'Alarms'
  | 'Channels'
  | 'Clock'
  | 'Provider'
  | 'Stores'
  | 'Mail'
  | 'SIEM'
  | 'Address'

export const ok = (subject: Subject, text: string): Finding => ({ level: 'ok', subject, text })
export const warning = (subject: Subject, text: string, advice: string): Finding => ({
  level: 'warning',
  subject,
  text,
  advice,
})
export const failed = (subject: Subject, text: string, advice: string): Finding => ({
  level: 'failed',
  subject,
  text,
  advice,
})

/** For a tenant that a file names, and that does not exist. */
export const correctTenant = 'Correct the external id in the file, unless the tenant is yet to be created.'

/** One line of the report. */
export function lineOf(finding: Finding): string {
  const level = finding.level === 'failed' ? 'FAILED' : finding.level
  const advice = finding.level === 'ok' ? '' : ` → ${finding.advice}`
  return `${level.padEnd(8)} ${finding.subject.padEnd(9)} ${finding.text}${advice}`
}

export const reasonOf = (error: unknown): string => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (!(first instanceof Error)) return String(first).split('\n')[0] ?? ''
  return tlsReason(first) ?? first.message.split('\n')[0] ?? ''
}
