import * as t from '#components/texts/forms/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import type { Texts } from './draft.ts'
import type { Kept } from './kept-draft.tsx'

type RestoredDraftProps = { of: Pick<Kept<Texts>, 'restored' | 'startOver'>; locked: boolean }

/** Says that a form shows what the person typed on an earlier visit of the page. */
export function RestoredDraft({ of: { restored, startOver }, locked }: RestoredDraftProps) {
  if (!restored) return null
  return (
    <Banner
      tone="neutral"
      action={
        <Button onClick={startOver} disabledReason={locked ? t.beingSent : undefined}>
          {t.startOver}
        </Button>
      }
    >
      {t.draftRestored}
    </Banner>
  )
}
