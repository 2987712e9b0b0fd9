import type { ReactNode } from 'react'
import { Glyph, type GlyphProps } from './glyph.tsx'

// The icons of buttons and tags. Drawn here because an icon library would add 50 MB to the installation for nine icons.

const icon = (shape: ReactNode) =>
  function Icon(props: GlyphProps) {
    return <Glyph {...props}>{shape}</Glyph>
  }

export const CheckIcon = icon(<path d="m3 8.5 3.5 3.5L13 4.5" />)
export const CloseIcon = icon(<path d="m4 4 8 8m0-8-8 8" />)
export const MenuIcon = icon(<path d="M2.5 4h11m-11 4h11m-11 4h11" />)
export const MoreIcon = icon(<path d="M3.5 8h.01M8 8h.01m4.49 0h.01" strokeWidth="2.5" />)
export const ChooseIcon = icon(<path d="m5 6 3-3 3 3m-6 4 3 3 3-3" />)
export const SearchIcon = icon(<path d="M11 6.75a4.25 4.25 0 1 1-8.5 0 4.25 4.25 0 0 1 8.5 0zm-1 3.25 3.5 3.5" />)
export const CopyIcon = icon(<path d="M5.5 5.5h8v8h-8zm-3 5v-8h8" />)
export const EraserIcon = icon(<path d="m6 13.5-4-4 7-7 4.5 4.5-6.5 6.5zm0 0h7.5m-8-7.5 4.5 4.5" />)
export const LockIcon = icon(<path d="M3 7.5h10v6H3zm2.5-.5V5a2.5 2.5 0 0 1 5 0v2" />)
export const KeyholeIcon = icon(<path d="M3 7.5h10v6H3zm2.5-.5V5a2.5 2.5 0 0 1 5 0v2M8 10v1" />)
export const PersonIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <circle cx="8" cy="6.5" r="2" />
    <path d="M4.5 12.5c.5-2 2-2.5 3.5-2.5s3 .5 3.5 2.5" />
  </>,
)
