'use client'

import { PlainPage } from '#components/layout/plain-page.tsx'
import { Button } from '#components/ui/controls/button.tsx'

/** Shown in place of a page that fails. Panels within the page show errors of its data. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <PlainPage title="This page stopped working">
      <p>
        An error occurred in the page; you didn’t cause it. Changes that the server confirmed are stored. Unsent input
        may be lost.
      </p>
      <p>
        <Button variant="primary" onClick={reset}>
          Show the page again
        </Button>
      </p>
    </PlainPage>
  )
}
