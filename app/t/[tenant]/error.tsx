'use client'

import { Page } from '#components/layout/page.tsx'
import * as t from '#components/texts/errors/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'

/** Shown in place of a page that fails. The frame remains, so that other pages can be opened. */
export default function TenantPageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <Page>
      <h1>{t.pageStopped}</h1>
      <ErrorPanel
        title={t.errorInPage}
        effect={t.stored}
        advice={t.showOrOpen}
        action={<Button onClick={reset}>{t.showAgain}</Button>}
      />
    </Page>
  )
}
