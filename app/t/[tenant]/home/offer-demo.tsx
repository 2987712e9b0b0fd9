'use client'

import { createPreference } from '#components/layout/preference.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { isDemoTenant } from '#lib/verify/demo.ts'

const isChoice = (text: string): text is 'shown' | 'dismissed' => text === 'shown' || text === 'dismissed'
const offer = createPreference<'shown' | 'dismissed'>({
  key: 'countersign.demo-offer',
  fallback: 'shown',
  isValue: isChoice,
})

/** Where the first start made the small demo, how to get one that looks like a company. Until the person dismisses it. */
export function OfferDemo() {
  const { me, tenant } = useSession()
  const [choice, setChoice] = offer.use()
  if (!me.demo || isDemoTenant(tenant) || choice === 'dismissed') return null
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2">
      <p>{t.offerDemo({ code: (content) => <code className="font-mono text-ink">{content}</code> })}</p>
      <Button variant="quiet" onClick={() => setChoice('dismissed')}>
        {t.dismiss}
      </Button>
    </div>
  )
}
