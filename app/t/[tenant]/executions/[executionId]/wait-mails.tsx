'use client'

import { deliveryWords } from '#components/inputs/receipt-words.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { mailErrorText } from '#components/mail/mail-error.ts'
import * as t from '#components/texts/execution-inputs/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { InputResolution } from '#lib/schemas/inputs.ts'
import { SendAgain } from './send-again.tsx'

type WaitMailsProps = { mails: InputResolution[]; over: boolean }

/** The recipients that were notified of a wait by mail, with the state of each mail. */
export function WaitMails({ mails, over }: WaitMailsProps) {
  return mails.map((mail) => {
    const { status, label, note } = deliveryWords(mail.delivery)
    return (
      <div key={mail.id} className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <p className="flex max-w-[75ch] flex-wrap items-baseline gap-x-2">
          <span className="wrap-anywhere">
            {t.notifiedByMail({ recipient: mail.recipient ?? t.unknownRecipient, shown: shownText })}
          </span>
          <StatusShape status={status} label={label} />
          {mail.deliveredAt !== null && <Time at={mail.deliveredAt} show="absolute" />}
          {note !== undefined && <span className="text-dense text-ink-2">{note}</span>}
          {mail.deliveryError !== null && (
            <span className="wrap-anywhere text-dense text-ink-2">
              <ShownText>{mailErrorText(mail.deliveryError)}</ShownText>
            </span>
          )}
        </p>
        <SendAgain resolution={mail} closed={over} />
      </div>
    )
  })
}
