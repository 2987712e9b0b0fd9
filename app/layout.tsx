import type { Metadata, Viewport } from 'next'
import type { ReactNode } from 'react'
import * as language from '#components/texts/language/en.ts'
import * as publicTexts from '#components/texts/public/en.ts'
import { FONT_CLASSES } from './fonts.ts'
import './globals.css'

export const metadata: Metadata = {
  title: { default: 'Countersign', template: '%s · Countersign' },
  description: publicTexts.description,
  robots: { index: false, follow: false },
  referrer: 'no-referrer',
}

export const viewport: Viewport = {
  colorScheme: 'light dark',
  width: 'device-width',
  initialScale: 1,
}

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // The theme script in the shell may set an attribute before React hydrates.
    <html lang={language.attribute} className={FONT_CLASSES} suppressHydrationWarning>
      <body>{children}</body>
    </html>
  )
}
