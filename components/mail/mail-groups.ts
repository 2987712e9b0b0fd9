import type { ApprovalMail } from '#lib/schemas/mail.ts'

export type MailGroup = {
  delivery: ApprovalMail['delivery']
  error: string | null
  /** Names of the people, in the order in which they were told; nobody twice. */
  names: string[]
}

/** What needs somebody comes first. */
const ORDER: ApprovalMail['delivery'][] = ['unknown', 'failed', 'in_flight', 'pending', 'delivered']

/** The mails that stand alike, together; people who were told twice count by the newest mail. */
export function mailGroups(mails: readonly ApprovalMail[]): MailGroup[] {
  const newest = new Map(mails.map((mail) => [mail.to.id, mail]))
  const groups = new Map<string, MailGroup>()
  for (const { delivery, error, to } of newest.values()) {
    const key = `${delivery} ${error ?? ''}`
    const group = groups.get(key) ?? { delivery, error, names: [] }
    groups.set(key, { ...group, names: [...group.names, to.displayName] })
  }
  return [...groups.values()].sort((a, b) => ORDER.indexOf(a.delivery) - ORDER.indexOf(b.delivery))
}
