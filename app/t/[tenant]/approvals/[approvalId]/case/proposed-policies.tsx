'use client'

import * as t from '#components/texts/approval-case/en.ts'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import { saysWhen } from '#lib/text/past-tense.ts'

const InForceNow = loadedLater(() => import('./in-force-now.tsx').then((module) => module.InForceNow), {
  Failed: () => null,
})

/** Whether an effect, by its place, is the one that tells the policies of a release. */
export const tellsPolicies = ({ kind, presentation: { effects } }: Approval, index: number): boolean =>
  kind === 'release' && index === effects.length - 1

/** The policies of a release as its request tells them, which is how they were when it was proposed, and as they are now. */
export function ProposedPolicies({ effect, releaseId }: { effect: string; releaseId: string }) {
  return (
    <>
      <ShownText>{effect}</ShownText>
      <span className="block text-ink-2">
        {!saysWhen(effect) && <>{t.soItWasThen} </>}
        <InForceNow releaseId={releaseId} />
      </span>
    </>
  )
}
