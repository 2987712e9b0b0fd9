'use client'

import { useContext } from 'react'
import * as t from '#components/texts/approval-case/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { CustodySection, NumberedLines } from '#components/ui/status/custody-line.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatAbsolute } from '#components/ui/text/time-format.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { ShownDigest } from '../decision/use-shown-digest.ts'
import { type CallOutcome, effectsNow } from './outcome.ts'
import { ProposedPolicies, tellsPolicies } from './proposed-policies.tsx'

type EffectsSectionProps = {
  shown: Approval
  expired: boolean
  digest: ShownDigest
  outcome: CallOutcome | undefined
}

/** The effects of an approval, whether they can be undone, and the effects of every other outcome. */
export function EffectsSection({ shown, expired, digest, outcome }: EffectsSectionProps) {
  const zone = useContext(TimeZoneContext)
  const { presentation, payloadDigest, expiresAt } = shown
  const over = expired || shown.status !== 'pending'
  const { onReject, onEscalate, onExpiry, reversible, irreversibleNote } = presentation
  return (
    <CustodySection
      title={titleOf(shown, over)}
      note={t.fixedPayloadSha256({
        copyable: () => (
          <Copyable value={payloadDigest.replace('sha256:', '')} label={t.payloadDigest} shorten="middle" />
        ),
        same: String(digest === 'same'),
      })}
    >
      {digest === 'different' && (
        <Banner tone="danger" urgency="alert">
          {t.thisPageDoesNot}
        </Banner>
      )}
      <NumberedLines
        lines={effectsNow(shown, outcome).map((effect, index) => ({
          key: `${index}`,
          content: tellsPolicies(shown, index) ? (
            <ProposedPolicies effect={effect} releaseId={shown.subjectId} />
          ) : (
            <ShownText>{effect}</ShownText>
          ),
        }))}
      />
      {over && shown.status !== 'approved' ? (
        <p>{t.noneOfThisWas}</p>
      ) : reversible ? (
        <p>{t.thisCanBeChanged}</p>
      ) : (
        <Banner tone="danger" urgency="none">
          <ShownText>{irreversibleNote ?? t.thisCannotBeUndone}</ShownText>
        </Banner>
      )}
      {!over && (
        <dl className="flex flex-col gap-1 text-ink-2">
          <Otherwise when={shown.mayReject ? t.ifYouReject : t.ifItIsRejected} then={onReject} />
          <Otherwise when={shown.blocked === null ? t.ifYouEscalate : t.ifItIsEscalated} then={onEscalate} />
          <Otherwise when={t.ifNoOneDecides({ time: formatAbsolute(new Date(expiresAt), zone) })} then={onExpiry} />
        </dl>
      )}
    </CustodySection>
  )
}

/** Says "you" only to a person who can decide, and uses the past tense once the request is over. */
function titleOf({ status, blocked }: Approval, over: boolean): string {
  if (status === 'approved') return t.whatWasApproved
  if (over) return t.whatApprovalWouldHave
  return blocked === null ? t.ifYouApprove : t.ifItIsApproved
}

function Otherwise({ when, then }: { when: string; then: string }) {
  return (
    <div>
      <dt className="inline">{when} </dt>
      <dd className="inline">
        <ShownText>{then}</ShownText>
      </dd>
    </div>
  )
}
