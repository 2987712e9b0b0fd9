'use client'

import { useContext } from 'react'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { CustodySection, NumberedLines } from '#components/ui/status/custody-line.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatAbsolute } from '#components/ui/text/time-format.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { ShownDigest } from '../decision/use-shown-digest.ts'
import { type CallOutcome, effectsNow } from './outcome.ts'

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
      note={
        <>
          fixed payload, SHA-256{' '}
          <Copyable value={payloadDigest.replace('sha256:', '')} label="payload digest" shorten="middle" />
          {digest === 'same' && ' (the same in this browser)'}
        </>
      }
    >
      {digest === 'different' && (
        <Banner tone="danger" urgency="alert">
          This page does not show what would run: the digest of what you read here differs from the one that a decision
          binds. Don’t decide; tell an administrator.
        </Banner>
      )}
      <NumberedLines
        lines={effectsNow(shown, outcome).map((effect, index) => ({
          key: `${index}`,
          content: <ShownText>{effect}</ShownText>,
        }))}
      />
      {over && shown.status !== 'approved' ? (
        <p>None of this was done for this request.</p>
      ) : reversible ? (
        <p>This can be changed later by another approved request.</p>
      ) : (
        <Banner tone="danger" urgency="none">
          <ShownText>{irreversibleNote ?? 'This cannot be undone.'}</ShownText>
        </Banner>
      )}
      {!over && (
        <dl className="flex flex-col gap-1 text-ink-2">
          <Otherwise when={shown.mayReject ? 'If you reject:' : 'If it is rejected:'} then={onReject} />
          <Otherwise when={shown.blocked === null ? 'If you escalate:' : 'If it is escalated:'} then={onEscalate} />
          <Otherwise when={`If no one decides by ${formatAbsolute(new Date(expiresAt), zone)}:`} then={onExpiry} />
        </dl>
      )}
    </CustodySection>
  )
}

/** Says "you" only to a person who can decide, and uses the past tense once the request is over. */
function titleOf({ status, blocked }: Approval, over: boolean): string {
  if (status === 'approved') return 'What was approved'
  if (over) return 'What approval would have meant'
  return blocked === null ? 'If you approve' : 'If it is approved'
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
