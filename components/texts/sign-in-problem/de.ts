import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  signIn: 'Anmelden',
  tryOrChoose: 'Versuchen Sie es erneut, oder wählen Sie eine andere Organisation.',
  chooseOrganisation: 'Organisation wählen',
  organisationUnknown: 'Es wurde keine Organisation mit diesem Namen gefunden.',
  otherIssuer:
    'Der Identitätsanbieter nennt eine andere Adresse als seine. Bitten Sie Ihren Betreiber, AUTH_URL zu prüfen.',
}
