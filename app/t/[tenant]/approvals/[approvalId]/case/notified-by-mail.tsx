'use client'

import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { deliveryWords } from '#components/inputs/receipt-words.ts'
import { mailErrorText } from '#components/mail/mail-error.ts'
import { mailGroups } from '#components/mail/mail-groups.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/approval-mails/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { ApprovalMail } from '#lib/schemas/mail.ts'
import { visibleText } from '#lib/text/visible-text.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Names } from './names.tsx'

const refreshMs = 3000

const isUnderWay = ({ delivery }: ApprovalMail): boolean => delivery === 'pending' || delivery === 'in_flight'
const canRetry = ({ delivery }: ApprovalMail): boolean => delivery === 'failed' || delivery === 'unknown'

/** The people notified by mail and the state of each mail. An operator can have a failed one sent again. */
export function NotifiedByMail({ shown: { approvalId, status } }: { shown: Approval }) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.approvals.mails.list.queryOptions({ approvalId }))
  useChanges(data?.items.some(isUnderWay) === true ? ['mails'] : [], refreshMs)
  if (data === undefined)
    return error === null ? (
      t.loading
    ) : (
      <RequestFailed
        error={error}
        what={t.theMails}
        plural
        act={t.seeApprovals}
        permission="approval:list"
        retry={() => void refetch()}
      />
    )
  if (data.items.length === 0) return t.noOneRequestIs
  const open = status === 'pending'
  return (
    <div className="flex flex-col gap-2">
      <ul className="flex flex-col gap-1">
        {mailGroups(data.items).map((group) => (
          <li key={`${group.delivery} ${group.error ?? ''}`} className="flex flex-wrap items-baseline gap-x-2">
            <StatusShape {...deliveryWords(group.delivery)} />
            <span>
              <Names>{group.names}</Names>
              {group.error !== null && (
                <span className="text-ink-2">
                  . <ShownText>{mailErrorText(group.error)}</ShownText>
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3 empty:hidden">
        {data.items.map((mail) => (
          <SendAgain key={mail.id} mail={mail} over={!open || !canRetry(mail)} />
        ))}
      </div>
    </div>
  )
}

function SendAgain({ mail, over }: { mail: ApprovalMail; over: boolean }) {
  const { client } = useApi()
  const { id, to, delivery, revision } = mail
  const name = visibleText(to.displayName)
  return (
    <ReasonDialog
      label={t.notifyAgain({ name })}
      busyLabel={t.notifyingAgain({ name })}
      keepLabel={t.dontSend}
      title={t.sendMailToAgain({ name })}
      consequence={delivery === 'unknown' ? t.itIsUnknownWhether : t.firstMailWasNot}
      permission="input:manage"
      over={over}
      act={(reason, options) =>
        client.approvals.mails.retry.mutate({ id, expectedRevision: revision, reason }, options)
      }
      touches={['mails']}
      done={t.sendingAgain}
      notDone={t.mailWasNotSent}
    />
  )
}
