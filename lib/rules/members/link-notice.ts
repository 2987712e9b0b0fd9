/** How long an approved reset can be carried out. */
export const resetHours = 24

/** The caller passes the one-time link on, it is sent, or an approval is needed before there is one. */
export type Handover = 'shown' | 'mailed' | 'needs_approval'

/** What follows from an invitation or a reset for the caller, as sentences. `email`: where the link is sent. */
export function linkNotice(handover: Handover, { displayName, email }: { displayName: string; email: string | null }) {
  const until = `Until it is proved that ${displayName} controls the account, you and ${displayName} count as one person and can’t approve each other’s requests: another administrator can vouch for it.`
  switch (handover) {
    case 'shown':
      return `No mail server is configured, so nothing was sent. Give this link to ${displayName} yourself: it is shown once, works once, and expires in 72 hours. ${until}`
    case 'mailed':
      return `The link is being sent to ${email}. It works once, expires in 72 hours, and is shown to no one else. ${until}`
    case 'needs_approval':
      return `${displayName} has roles that require a second person, so the change approvers have to approve the reset first. Reset the password again within ${resetHours} hours of their approval.`
  }
}
