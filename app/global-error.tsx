'use client'

import { PlainPage } from '#components/layout/plain-page.tsx'
import { rootPath } from '#lib/paths.ts'
import { FONT_CLASSES } from './fonts.ts'
import './globals.css'

/** Replaces the whole document if the root layout fails. */
export default function GlobalError() {
  return (
    <html lang="en" className={FONT_CLASSES}>
      <body>
        <PlainPage title="The console stopped working">
          <p>
            An error occurred in the console; you didn’t cause it. Changes that the server confirmed are stored.{' '}
            <a href={rootPath()} className="text-link">
              Go to the start page
            </a>
          </p>
        </PlainPage>
      </body>
    </html>
  )
}
