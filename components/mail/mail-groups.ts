import type { ApprovalMail } from '#lib/schemas/mail.ts'

export type MailGroup = {
  delivery: ApprovalMail['delivery']
  error: string | null
  /** Names of the recipients in the order of the mails, without duplicates. */
  names: string[]
}

/** Deliveries that need attention come first. */
const ORDER: ApprovalMail['delivery'][] = ['unknown', 'failed', 'in_flight', 'pending', 'delivered']

/** Groups mails by delivery state and error. For a person with several mails, the newest one counts. */
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
