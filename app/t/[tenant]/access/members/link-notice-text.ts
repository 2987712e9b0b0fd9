import * as t from '#components/texts/access-members/en.ts'
import { type Handover, resetHours } from '#lib/rules/members/link-notice.ts'
import type { Answers } from '#lib/trpc.ts'

type Result = Pick<Answers['members']['invite'], 'inviteUrl' | 'expiresAt'> & {
  member: Pick<Answers['members']['invite']['member'], 'displayName' | 'email' | 'control'>
}

/** How the link is handed over. `lost`: it was shown in an answer that did not arrive, and is not shown again. */
export function handoverOf({ inviteUrl, expiresAt, member: { control } }: Result): Handover | 'lost' {
  if (inviteUrl !== null) return 'shown'
  if (expiresAt === null) return 'needs_approval'
  return control?.countsAs.some(({ mailed }) => mailed) ? 'mailed' : 'lost'
}

/** What follows for the caller, in the language of the page. A test compares the English of the API. */
export function linkNoticeText(result: Result): string {
  const { displayName: member, email } = result.member
  const until = t.countAsOneUntil({ member })
  switch (handoverOf(result)) {
    case 'shown':
      return `${t.giveThisLinkTo({ member })} ${until}`
    case 'mailed':
      return `${t.linkIsBeingSent({ email: email ?? '' })} ${until}`
    case 'lost':
      return until
    case 'needs_approval':
      return t.resetNeedsApproval({ member, hours: resetHours })
  }
}
