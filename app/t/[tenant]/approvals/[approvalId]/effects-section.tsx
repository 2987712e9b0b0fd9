'use client'

import { useContext } from 'react'
import { Banner } from '#components/ui/banner.tsx'
import { Copyable } from '#components/ui/copyable.tsx'
import { CustodySection, NumberedLines } from '#components/ui/custody-line.tsx'
import { ShownText } from '#components/ui/shown-text.tsx'
import { TimeZoneContext } from '#components/ui/time.tsx'
import { formatAbsolute } from '#components/ui/time-format.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

/** What happens on approval, whether it can be undone, and what happens otherwise. */
export function EffectsSection({ shown: { presentation, payloadDigest, expiresAt } }: { shown: Approval }) {
  const zone = useContext(TimeZoneContext)
  const { effects, onReject, onEscalate, onExpiry, reversible, irreversibleNote } = presentation
  return (
    <CustodySection
      title="If you approve"
      note={
        <>
          payload pinned, sha256{' '}
          <Copyable value={payloadDigest.replace('sha256:', '')} label="payload digest" shorten="middle" />
        </>
      }
    >
      <NumberedLines
        lines={effects.map((effect, index) => ({ key: `${index}`, content: <ShownText>{effect}</ShownText> }))}
      />
      {reversible ? (
        <p>This can be changed again later, by a request that is approved in its turn.</p>
      ) : (
        <Banner tone="danger" urgency="none">
          <ShownText>{irreversibleNote ?? 'This cannot be undone.'}</ShownText>
        </Banner>
      )}
      <dl className="flex flex-col gap-1 text-ink-2">
        <Otherwise when="If you reject:" then={onReject} />
        <Otherwise when="If you escalate:" then={onEscalate} />
        <Otherwise when={`If nobody decides by ${formatAbsolute(new Date(expiresAt), zone)}:`} then={onExpiry} />
      </dl>
    </CustodySection>
  )
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
