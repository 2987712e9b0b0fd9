import { text } from '#components/language/text.ts'

// Using a passkey.

export const youAlreadyHavePasskey = text('You already have a passkey for this site on this device.')
export const deviceNotAsked = text(
  'Your device was not asked for a passkey, because this page could not load what asks it.',
)
export const yourDeviceDidNot = text(
  'Your device did not provide a passkey: the request was canceled or timed out, or the device does not have a passkey for this site.',
)
