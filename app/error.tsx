'use client'

import { PlainPage } from '#components/layout/plain-page.tsx'
import * as t from '#components/texts/errors/en.ts'
import { Button } from '#components/ui/controls/button.tsx'

/** Shown in place of a page that fails. Panels within the page show errors of its data. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <PlainPage title={t.pageStopped}>
      <p>{t.pageStoppedAbout}</p>
      <p>
        <Button variant="primary" onClick={reset}>
          {t.showAgain}
        </Button>
      </p>
    </PlainPage>
  )
}
