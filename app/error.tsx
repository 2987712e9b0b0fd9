'use client'

import { PlainPage } from '#components/layout/plain-page.tsx'
import { Button } from '#components/ui/controls/button.tsx'

/** What is left when a page itself fails; errors of the data are shown in their panels. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <PlainPage title="This page stopped working">
      <p>
        The fault is in the page, not in what you did. What the server had already confirmed is recorded; whatever you
        had typed and not sent may be lost.
      </p>
      <p>
        <Button variant="primary" onClick={reset}>
          Show the page again
        </Button>
      </p>
    </PlainPage>
  )
}
