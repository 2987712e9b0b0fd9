'use client'

import { Page } from '#components/layout/page.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'

/** Shown in place of a page that fails. The frame remains, so that other pages can be opened. */
export default function TenantPageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <Page>
      <h1>This page stopped working</h1>
      <ErrorPanel
        title="An error occurred in the page."
        effect="Changes that the server confirmed are stored. Unsent input may be lost."
        advice="Show the page again, or open another page."
        action={<Button onClick={reset}>Show the page again</Button>}
      />
    </Page>
  )
}
