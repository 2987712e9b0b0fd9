'use client'

import { Page } from '#components/layout/page.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'

/** A page that fails leaves the frame standing, so that the way to the other pages stays open. */
export default function TenantPageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <Page>
      <h1>This page stopped working</h1>
      <ErrorPanel
        title="The page ran into a fault of its own."
        effect="What the server had already confirmed is recorded; what you had typed and not sent may be lost."
        advice="Show the page again, or choose another one."
        action={<Button onClick={reset}>Show the page again</Button>}
      />
    </Page>
  )
}
