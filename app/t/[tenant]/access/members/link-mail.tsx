import { deliveryWords } from '#components/inputs/receipt-words.ts'
import { mailErrorText } from '#components/mail/mail-error.ts'
import * as t from '#components/texts/access-members/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { LinkMail, Member } from '#lib/schemas/members.ts'

type WithLinkMail<M> = M & { linkMail: LinkMail }

/** A link that was used has arrived, whatever the mail server said. A process of the version before does not send the mail. */
export const isLinkMailShown = <M extends Pick<Member, 'linkMail' | 'linkExpiresAt' | 'status'>>(
  member: M,
): member is WithLinkMail<M> =>
  member.linkMail != null &&
  member.status !== 'removed' &&
  (member.linkExpiresAt !== null || isNotSent(member.linkMail))

const isNotSent = ({ delivery }: LinkMail): boolean => delivery === 'failed'

/** What became of the mail with a one-time link, and what can be done. `again`: the name of the action that sends another link. */
export function LinkMailState({ mail: { delivery, error }, again }: { mail: LinkMail; again: string }) {
  const { note, ...shape } = deliveryWords(delivery)
  return (
    <span className="flex flex-col">
      <StatusShape {...shape} />
      {error !== null && (
        <span className="text-ink-2">
          <ShownText>{mailErrorText(error)}</ShownText>
        </span>
      )}
      {note !== undefined && <span className="text-ink-2">{note}</span>}
      {delivery === 'pending' && error !== null && <span>{t.linkIsSentAgain}</span>}
      {delivery === 'failed' && <span>{t.linkDidNotArrive({ again })}</span>}
      {delivery === 'unknown' && <span>{t.linkMayNotHaveArrived({ again })}</span>}
    </span>
  )
}

/** In the list, only what needs someone. */
export const LinkNotSent = ({ member }: { member: Member }) =>
  isLinkMailShown(member) && isNotSent(member.linkMail) ? (
    <span className="text-dense text-hold">{t.linkNotDelivered}</span>
  ) : null
