'use client'

import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import type { Answers } from '#lib/trpc.ts'

/** Whether the decision comes out again, from the request, the published texts and the tool's schema as they were. */
export function ComputedAgain({ answer: { same, computed } }: { answer: Answers['policies']['recompute'] }) {
  if (same)
    return (
      <Banner tone="ok">
        It was computed again for this page, from the recorded request and the published texts, and is the same in every
        byte.
      </Banner>
    )
  return (
    <>
      <Banner tone="danger">
        It was computed again for this page and came out differently. What is recorded is what was acted on.
      </Banner>
      <KeyValues>
        <KeyValue name="Comes out as">
          <EffectShape effect={computed.effect} />
        </KeyValue>
        <KeyValue name="Because">
          <Reasons reasons={computed.reasons} />
        </KeyValue>
      </KeyValues>
    </>
  )
}
