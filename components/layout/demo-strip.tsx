'use client'

import { useSyncExternalStore } from 'react'
import * as t from '#components/texts/shell/en.ts'
import { isDemoTenant } from '#lib/verify/demo.ts'

/**
 * On each page of a demo tenant, on paper too, so that it is not taken for real days. Not in prerendered HTML, which is the same for
 * all tenants: React discards a document that differs from its first drawing.
 */
export function DemoStrip({ tenant }: { tenant: string }) {
  const isDemo = useSyncExternalStore(
    unchanging,
    () => isDemoTenant(tenant),
    () => false,
  )
  if (!isDemo) return null
  return (
    <p className="border-line border-b bg-surface px-3 py-1 text-dense text-ink-2 rail:px-7">
      {t.demo({ strong: (content) => <strong className="font-semibold text-ink">{content}</strong> })}
    </p>
  )
}

const unchanging = () => () => undefined
