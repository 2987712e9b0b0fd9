import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  loading: 'Wird geladen…',
  signingOut: 'Sie werden abgemeldet…',
  openingSignIn: 'Die Anmeldeseite wird geöffnet…',
  providerUnreachable: 'Der Identitätsanbieter ist nicht erreichbar.',
  pageNotLoaded: 'Die Seite konnte nicht geladen werden.',
  checkConnection: 'Prüfen Sie die Verbindung, und versuchen Sie es erneut.',
  noSession: 'Dieser Browser kann hier keine Sitzung halten.',
  needsStorage:
    'Die Anmeldung braucht eine https-Adresse (oder localhost) und Speicher für Websites. Manche Browser sperren ihn in privaten Fenstern.',
  accountNotLoaded: 'Ihr Konto konnte nicht geladen werden. {problem}',
  cantStart: 'Die Konsole kann nicht starten',
  nothingChanged: 'Es wurde nichts geändert.',
  tryAgain: 'Erneut versuchen',
  otherOrganisation: 'Der Identitätsanbieter hat für eine andere Organisation geantwortet.',
  otherApplication: 'Der Identitätsanbieter hat für eine andere Anwendung geantwortet.',
  notSignedIn: 'Sie sind nicht mehr angemeldet.',
  alreadyCompleted: 'Diese Anmeldung ist schon abgeschlossen, oder sie wurde in einem anderen Browser begonnen.',
  signInRefused: 'Der Identitätsanbieter hat die Anmeldung abgelehnt.',
  notFound: '{plural, select, true {{what} wurden nicht gefunden.} other {{what} wurde nicht gefunden.}}',
  notFoundAbout: 'Das Objekt existiert nicht, oder es gehört zu einer anderen Organisation.',
  notLoaded:
    '{plural, select, true {{what} konnten nicht geladen werden.} other {{what} konnte nicht geladen werden.}}',
  problemNothingChanged: '{problem} Es wurde nichts geändert.',
  signInAgain: 'Erneut anmelden',
  loadThem: 'Erneut laden',
  loadIt: 'Erneut laden',
  pageOutOfDate: 'Der Server hat die Anfrage dieser Seite nicht angenommen: Ihre Adresse ist vielleicht veraltet.',
  onlyPeopleAssigned:
    'Das geht nur mit der Rolle {people}. Die Administration der Organisation vergibt {count, plural, one {diese Rolle} other {diese Rollen}}.',
  adviceSignIn: 'Melden Sie sich erneut an.',
  advicePasskey: 'Bestätigen Sie erneut. Ihre Einstellungen zeigen, welche Passkeys Sie haben.',
  adviceMoment: 'Versuchen Sie es gleich noch einmal.',
  adviceSeconds: 'Versuchen Sie es in {seconds} s erneut.',
  adviceRetry: 'Versuchen Sie es erneut. Wenn der Fehler bleibt, nennen Sie dem Support die Anfrage-ID.',
  adviceSupport: 'Ein weiterer Versuch hilft nicht. Nennen Sie dem Support die Anfrage-ID.',
}
