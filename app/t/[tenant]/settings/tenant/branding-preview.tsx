'use client'

import { useState } from 'react'
import * as t from '#components/texts/settings-tenant/en.ts'
import { deriveAccent, HARDEST_SURFACE, parseAccent, type Theme } from '#lib/rules/accent.ts'
import { formatOklch } from '#lib/rules/color.ts'

type BrandingPreviewProps = { name: string; accent: string; logoUrl: string | null; logoAlt: string }

/** Shows the top bar with the unsaved branding, in both themes. */
export function BrandingPreview(props: BrandingPreviewProps) {
  return (
    <figure className="flex flex-col gap-1.5">
      <figcaption className="font-semibold text-dense">{t.preview}</figcaption>
      <div className="grid gap-3 narrow:grid-cols-2">
        <Bar theme="light" {...props} />
        <Bar theme="dark" {...props} />
      </div>
      <p className="text-dense text-ink-2">{t.eachThemeMakesColour}</p>
    </figure>
  )
}

const SURFACE: Record<Theme, string> = {
  light: formatOklch(HARDEST_SURFACE.light),
  dark: formatOklch(HARDEST_SURFACE.dark),
}
/** The values of `--ink` in app/tokens.css. CSS provides only the value of the active theme. */
const INK: Record<Theme, string> = { light: 'oklch(0.215 0.016 230)', dark: 'oklch(0.94 0.005 205)' }

function Bar({ theme, name, accent, logoUrl, logoAlt }: BrandingPreviewProps & { theme: Theme }) {
  const [broken, setBroken] = useState<string>()
  const color = parseAccent(accent)
  const tones = color === undefined ? undefined : deriveAccent(color, theme)
  return (
    // Style objects, because the content security policy forbids style attributes.
    <div className="border border-line-strong" style={{ backgroundColor: SURFACE[theme], color: INK[theme] }}>
      <div className="h-1" style={{ backgroundColor: tones?.mark ?? INK[theme] }} />
      <div className="flex min-h-12 items-center gap-3 px-3">
        {logoUrl !== null && logoUrl !== broken ? (
          // biome-ignore lint/performance/noImgElement: the console runs without an image optimiser.
          <img
            src={logoUrl}
            alt={logoAlt}
            onError={() => setBroken(logoUrl)}
            className="size-6 shrink-0 object-contain"
          />
        ) : (
          <span
            aria-hidden="true"
            className="inline-grid size-6 shrink-0 place-items-center font-semibold text-dense"
            style={{ backgroundColor: tones?.mark ?? INK[theme], color: tones?.onMark ?? SURFACE[theme] }}
          >
            {name.match(/\p{L}|\p{N}/u)?.[0].toUpperCase()}
          </span>
        )}
        <span className="wrap-anywhere">{name}</span>
        <span className="ml-auto text-dense">{theme === 'light' ? t.light : t.dark}</span>
      </div>
    </div>
  )
}
