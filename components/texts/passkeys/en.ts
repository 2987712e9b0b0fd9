import { text } from '#components/language/text.ts'

// Using a passkey.

export const youAlreadyHavePasskey = text('You already have a passkey for this site on this device.')
export const yourDeviceDidNot = text(
  'Your device did not provide a passkey: the request was canceled or timed out, or the device does not have a passkey for this site.',
)
