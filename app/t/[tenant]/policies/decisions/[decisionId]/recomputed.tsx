'use client'

import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import type { Answers } from '#lib/trpc.ts'

/** Shows whether the decision is the same when recomputed from the recorded request, the published texts and the tool's schema. */
export function Recomputed({ answer: { same, computed } }: { answer: Answers['policies']['recompute'] }) {
  if (same)
    return (
      <Banner tone="ok">
        The decision was recomputed for this page from the recorded request and the published texts. The result is
        identical, byte for byte.
      </Banner>
    )
  return (
    <>
      <Banner tone="danger">
        The decision was recomputed for this page, and the result differs. The recorded decision is the one that was
        enforced.
      </Banner>
      <KeyValues>
        <KeyValue name="Recomputed decision">
          <EffectShape effect={computed.effect} />
        </KeyValue>
        <KeyValue name="Reasons">
          <Reasons reasons={computed.reasons} />
        </KeyValue>
      </KeyValues>
    </>
  )
}
