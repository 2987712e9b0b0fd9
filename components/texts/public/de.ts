import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  description: 'Bestimmt, was KI-Agenten tun dürfen, und hält fest, wer es entschieden hat.',
  loading: 'Wird geladen…',
  organisationNotLoaded: 'Ihre Organisation konnte nicht geladen werden.',
  nothingChanged: '{problem} Es wurde nichts geändert.',
  loadAgainOrSignIn: 'Laden Sie die Seite neu, oder <link>melden Sie sich erneut an</link>.',
  signIn: 'Anmelden',
  signInTitle: 'Bei Countersign anmelden',
  receivedArchive: 'Sie haben ein Nachweisarchiv erhalten? <link>Prüfen Sie es</link> ohne Anmeldung.',
  organisation: 'E-Mail-Adresse oder Organisation',
  organisationHint: 'Ihre Adresse bei der Arbeit oder der Kurzname Ihrer Organisation, zum Beispiel acme.',
  openingOrganisation: 'Ihre Organisation wird geöffnet…',
  next: 'Weiter',
  ownPage: 'Benutzername und Passwort geben Sie auf der Seite Ihrer Organisation ein.',
  organisationMissing: 'Geben Sie Ihre E-Mail-Adresse oder den Kurznamen Ihrer Organisation ein.',
  addressUnknown:
    'Zu dieser Adresse wurde keine Organisation gefunden. Geben Sie den Kurznamen ein, den Sie von Ihrer Administration bekommen haben.',
  organisationUnknown:
    'Die Organisation „{organisation}“ wurde nicht gefunden. Prüfen Sie die Schreibweise, oder fragen Sie Ihre Administration.',
  shortNameFormat: 'Verwenden Sie nur Kleinbuchstaben, Ziffern und Bindestriche.',
  providerUnreachable:
    'Der Identitätsanbieter ist nicht erreichbar. Prüfen Sie die Verbindung, und versuchen Sie es erneut.',
  unreachableOrUnknown:
    'Der Identitätsanbieter ist nicht erreichbar, oder er kennt diese Organisation nicht. Prüfen Sie die Schreibweise und die Verbindung, und versuchen Sie es erneut.',
  signedOut: 'Abgemeldet',
  signedOutTitle: 'Sie sind abgemeldet',
  sessionEnded:
    'Ihre Sitzung ist in diesem Browser und bei Ihrer Organisation beendet. Entwürfe wurden aus diesem Browser entfernt.',
  signInAgain: 'Erneut anmelden',
  signedInAgain: 'Sie sind wieder angemeldet',
  closeWindow: 'Die Seite, von der Sie kommen, macht von selbst weiter. Sie können dieses Fenster schließen.',
  signingIn: 'Anmeldung',
  signingInNow: 'Sie werden angemeldet…',
  notCompleted: 'Die Anmeldung wurde nicht abgeschlossen',
  attemptFailed: 'Dieser Versuch hat Sie nicht angemeldet. Sonst wurde nichts geändert.',
  accessDenied: 'Zugang verweigert',
  notMember:
    'Sie sind als {name} ({username}) angemeldet, aber dieses Konto ist kein aktives Mitglied von {organisation}.',
  noDataShown: 'Es wurden keine Daten der Organisation angezeigt.',
  signOutForOther:
    'Die Administration von {organisation} kann das Konto aufnehmen oder seine Sperre aufheben. Um ein anderes Konto zu verwenden, melden Sie sich zuerst ab.',
  signOut: 'Abmelden',
  notFound: 'Seite nicht gefunden',
  notFoundAbout: 'Die Adresse ist vielleicht falsch geschrieben oder unvollständig. Es wurde nichts geändert.',
  goToStart: 'Zur Startseite',
}
