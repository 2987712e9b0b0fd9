'use client'

import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import * as t from '#components/texts/policy/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import type { Answers } from '#lib/trpc.ts'

/** Shows whether the decision is the same when recomputed from the recorded request, the published texts and the tool's schema. */
export function Recomputed({ answer: { same, computed } }: { answer: Answers['policies']['recompute'] }) {
  if (same) return <Banner tone="ok">{t.decisionWasRecomputedFor}</Banner>
  return (
    <>
      <Banner tone="danger">{t.theDecisionWas}</Banner>
      <KeyValues>
        <KeyValue name={t.recomputedDecision}>
          <EffectShape effect={computed.effect} />
        </KeyValue>
        <KeyValue name={t.reasons}>
          <Reasons reasons={computed.reasons} />
        </KeyValue>
      </KeyValues>
    </>
  )
}
