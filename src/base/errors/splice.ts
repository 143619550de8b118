import { fillTemplate, type TemplateValues } from './fill-template.ts'

/**
 * An error of the scan proxy, the Scan API, the registry or the wallet. If Splice has the same
 * error, status and text are copied from it, with few exceptions. Splice's texts are in
 * HttpErrorHandler.scala, BftScanConnection.scala and UniqueIdentifier.scala. The texts of agreed
 * absences are in `reads/`.
 */
interface WrittenErrorRow {
  readonly text: string
  /** An explanation of the error for `docs/errors.md`. */
  readonly meaning: string
  /** Given only where it differs from what the status says. */
  readonly retryable?: boolean
}

interface SpliceErrorRow extends WrittenErrorRow {
  readonly status: number
  readonly retryable: boolean
}

const statusesToRetry = ['429', '500', '502', '503']

/** The errors by status. */
const table = {
  400: {
    emptyIdentifier: {
      text: 'Empty string is not a valid unique identifier.',
      meaning: 'A party id is missing.',
    },
    identifierWithoutNamespace: {
      text: 'Invalid unique identifier `{id}` with missing namespace.',
      meaning: 'A party id has no `::`.',
    },
    identifierWithoutName: {
      text: 'Invalid unique identifier `{id}` with empty identifier.',
      meaning: 'A party id begins with `::`.',
    },
    malformedIdentifier: {
      text: 'Identifier decoding of `{id}` failed with: {why}',
      meaning: 'The part of a party id before `::` is not one.',
    },
    malformedFingerprint: {
      text: 'Fingerprint decoding of `{id}` failed with: {why}',
      meaning: 'The part of a party id after `::` is not one.',
    },
    missingParameter: {
      text: '{read} needs {name}.',
      meaning: 'A program or a command left a required parameter out.',
    },
    unknownParameter: {
      text: '{why}',
      meaning: 'The read does not take the parameter.',
    },
    unknownRead: {
      text: 'There is no read {id}; readIds lists all reads.',
      meaning: 'The library or the client got the name of no read.',
    },
    malformedQueryParameter: {
      text: "The query parameter '{name}' was malformed:\n'{value}' is not a valid {what}",
      meaning: 'A query parameter is not an integer, or not a time.',
    },
    malformedPathParameter: {
      text: "The path parameter '{name}' was malformed:\n'{value}' is not a valid {what}",
      meaning: 'A part of the path has another type.',
    },
    limitTooSmall: {
      text: 'Limit must be at least 1.',
      meaning: '`page_size` is below 1.',
    },
    limitExceeded: {
      text: 'Exceeded limit maximum ({value} > {limit}).',
      meaning: '`page_size` is above 1000.',
    },
    tooManyItems: {
      text: "Expected '{name}' to contain at most {limit} items, but contained {size}.",
      meaning: 'A list in the body is longer than a scan accepts (1000).',
    },
    unknownPageToken: {
      text: "The page token in 'after' is none that was given for this request. Begin again without 'after'.",
      meaning:
        'The page token was altered, is of another request, or of a daemon without the same `cache.redis.secret`.',
    },
    textTooLong: {
      text: 'The {name} is longer than {limit} characters.',
      meaning: 'A name or a prefix is longer than a scan accepts.',
    },
    malformedText: {
      text: 'The {name} is not valid text: {why}.',
      meaning: 'A path segment or query parameter is not percent-encoded UTF-8, or holds a NUL character.',
    },
    emptyText: {
      text: 'The {name} must not be empty.',
      meaning: 'A part of the path, such as a name, is empty.',
    },
    malformedHeader: {
      text: "The header '{name}' was malformed:\n'{value}' is not {what}",
      meaning: '`x-bft-live`, `x-bft-not-before` or `last-event-id` is not what this daemon reads.',
    },
    missingBody: {
      text: 'Request entity expected but not supplied',
      meaning: 'The operation takes a body, and there is none.',
    },
    malformedBody: {
      text: 'The request content was malformed:\n{why}',
      meaning: 'The body is not the JSON that the operation takes.',
    },
    malformedRequest: {
      text: 'The request is not HTTP that this server understands.',
      meaning: 'The request line, its target or a header breaks the rules of HTTP.',
    },
    invalidEntry: {
      text: '{why}',
      meaning: 'Super validators would reject the name, url or description.',
    },
    malformedAmount: {
      text: 'The amount is not a decimal above 0 with at most 28 digits before the point and ten after it.',
      meaning: 'An amount in USD cannot be read.',
    },
    amuletOperationFailed: {
      text: 'the amulet operation failed with a Daml exception: {why}',
      meaning: 'There is not enough coin, or a rule forbids the payment; nothing was changed.',
    },
  },
  401: {
    unauthorized: {
      text: '{why}',
      meaning: 'A bearer token is required, and there is none or it is not valid.',
    },
  },
  403: {
    forbidden: {
      text: 'Authorization Failed for {user}',
      meaning: 'The ledger has no user of the token that may act.',
    },
  },
  404: {
    missingQueryParameter: {
      text: "Request is missing required query parameter '{name}'",
      meaning: 'A required query parameter is missing (404, as Splice answers it).',
    },
    unknownReceiptDocument: {
      text: 'This daemon has no document {digest}, or not any more.',
      meaning: 'No receipt of this daemon names the document, or it was made too long ago.',
    },
    unknownPath: {
      text: 'The requested resource could not be found: {uri}',
      meaning: 'There is nothing at this path.',
    },
    nothingAtRoot: {
      text: 'The requested resource could not be found: {uri} The API is described at {docs}',
      meaning: 'There is nothing at `/` for programs; browsers are redirected to `/docs`.',
    },
    noChangeFeed: {
      text: 'This daemon has no feed of changes: its option mirror.level is not stream.',
      meaning: '`GET /mirror/changes` at another level of the mirror than `stream`.',
    },
    goneFromScans: {
      text: "The requested resource could not be found: no super validator's release has {path}; {why}.",
      meaning: 'All scans that were heard run a release without this path.',
    },
    historyNotKept: {
      text: 'The super validators do not have that part of the history, or not any more.',
      meaning:
        'All scans that were heard, but for f at most, joined later or have pruned it. Scans keep 30 days.',
    },
    contractNotFound: {
      text: 'No active {template} of yours has the contract id {id}.',
      meaning: "The contract was archived, is another's, or never was.",
    },
  },
  405: {
    methodNotAllowed: {
      text: 'HTTP method not allowed, supported methods: {methods}',
      meaning: 'The path exists, but not with this method.',
    },
  },
  409: {
    nameTaken: {
      text: 'The name {name} is registered until {until} and owned by {owner}.',
      meaning: 'The name may be free again when that entry expires.',
    },
    ledgerRefused: {
      text: '{code}: {why}',
      meaning: 'A rule of the ledger forbids it; nothing was changed.',
    },
  },
  410: {
    changesNotKept: {
      text: 'The feed has all changes after {since}, but not all after {after}.',
      meaning: 'A reader was away for too long. Read the names again, and follow the feed from then on.',
    },
  },
  413: {
    bodyTooLarge: {
      text: 'The request content exceeds {limit} bytes.',
      meaning: 'The body is larger than the operation takes.',
    },
  },
  415: {
    unsupportedContentType: {
      text: "The request's Content-Type is not supported. Expected:\napplication/json",
      meaning: 'The body has another content type than JSON.',
    },
    unsupportedEncoding: {
      text: "The request's {part} '{given}' is not supported. Expected:\n{expected}",
      meaning: 'The body is compressed, or its content type names another charset than UTF-8.',
    },
  },
  429: {
    tooManyMisses: {
      text: 'Too many requests that are not in the cache; try again in {seconds} s.',
      meaning: 'This client address used up its cache misses.',
    },
    ledgerContention: {
      text: 'Others used the same contracts at the same time; nothing was changed.',
      meaning: 'Several requests of one user compete for the same coin.',
    },
  },
  500: {
    unexpected: {
      text: 'An unexpected error occurred.',
      meaning: 'A fault of this daemon; its log has the details.',
    },
  },
  501: {
    notAgreeable: {
      text: '{why} {instead}',
      meaning: 'No quorum can agree on what is about one node.',
    },
    noLedger: {
      text: 'This daemon has no ledger: names are registered at a validator.',
      meaning: '`ledger.driver` is `none`.',
    },
  },
  502: {
    notEnoughScans: {
      text: 'Only {usable} scan instances can be used (out of {total} configured ones), which are fewer than the necessary {threshold} to achieve BFT guarantees.',
      meaning: 'Too few super validators gave a reply that counts.',
    },
    scansHeldBack: {
      text: 'Only {usable} scan instances can be used (out of {total} configured ones), which are fewer than the necessary {threshold} to achieve BFT guarantees. {heldBack} of them are not asked now: they asked for a pause, or were asked as often as they may be.',
      meaning: 'The same, because of the limits of super validators.',
    },
    pathUnknownToScans: {
      text: '{lacking} of {total} scans do not know this path; {why}',
      meaning: "Super validators run different releases of Splice; `/status` lists each scan's.",
    },
    noConsensus: {
      text: 'Failed to reach consensus from {asked} Scan nodes, requiring {threshold} matching responses.',
      meaning: 'Enough super validators replied, but no group of equal replies reached the threshold.',
    },
    pageNotContinued: {
      text: "Only {agreed} of the {group} super validators that gave the page before gave this one alike, and {threshold} have to. Begin again without 'after'.",
      meaning: 'Too many of those that gave the page before are silent, have left, or gave another page.',
    },
    behind: {
      text: 'No quorum of super validators is as recent as what was asked for.',
      meaning: 'Every quorum is older than an answer served before, or than `x-bft-not-before`.',
    },
  },
  503: {
    verifierUnavailable: {
      text: 'The keys to check the token with cannot be fetched.',
      meaning: 'The JWKS address does not answer.',
    },
    tooManyReads: {
      text: 'As many reads as may run at once are running.',
      meaning: 'The daemon protects its memory; cached answers are served.',
    },
    notEncoded: {
      text: 'The super validators agreed, but this daemon could not encode their answer.',
      meaning: 'The thread that encodes long answers took too much time or memory.',
    },
    changesPaused: {
      text: 'There are no changes to follow now. {why}',
      meaning: 'The mirror does not serve the state of the ledger now; nothing is lost meanwhile.',
    },
    tooManyListeners: {
      text: 'As many readers as may follow the changes at once follow them.',
      meaning: 'The daemon protects its memory; ask another daemon.',
    },
    stopping: {
      text: 'This daemon is stopping.',
      meaning: 'The daemon got the signal to stop; ask another one.',
    },
    disposed: {
      text: 'This library is disposed: it answers no more reads.',
      meaning: 'The program disposed the library.',
      retryable: false,
    },
    noRosterYet: {
      text: 'No roster of super validators is agreed yet: {why}',
      meaning: 'The seeds do not agree yet on who the super validators are.',
    },
    thresholdAboveRoster: {
      text: 'The configured threshold {threshold} is above the {votes} votes of the roster.',
      meaning: 'The present roster has fewer votes than the threshold.',
    },
    historyNotLoaded: {
      text: 'The super validators have not yet replicated that part of the history.',
      meaning: 'All scans that were heard, but for f at most, are still loading history.',
    },
    noOpenRound: {
      text: 'No mining round is open, so that amulets have no price.',
      meaning: 'The ledger has just been set up, or its automation is behind.',
    },
    rulesMissing: {
      text: 'The ledger has no {template} yet.',
      meaning: 'The ledger has just been set up.',
    },
    ledgerUnavailable: {
      text: 'The ledger takes no changes now.',
      meaning: 'Its disk is full, its file is damaged, or the participant does not answer; reads go on.',
    },
  },
} as const satisfies Readonly<Record<number, Readonly<Record<string, WrittenErrorRow>>>>

type ErrorTable = typeof table

export type SpliceErrorCode = { [Status in keyof ErrorTable]: keyof ErrorTable[Status] }[keyof ErrorTable]

/** A bundle that only verifies receipts leaves the errors out, because this call is marked as pure. */
export const spliceErrors = /* @__PURE__ */ byCode()

function byCode(): Readonly<Record<SpliceErrorCode, SpliceErrorRow>> {
  const rows = Object.entries<Readonly<Record<string, WrittenErrorRow>>>(table).flatMap(
    ([status, ofStatus]) =>
      Object.entries(ofStatus).map(([code, row]) => [
        code,
        { status: Number(status), retryable: statusesToRetry.includes(status), ...row },
      ]),
  )
  return Object.fromEntries(rows)
}

/**
 * The votes that a read without agreement got. `agreed` is the size of the largest group of equal
 * votes, and `threshold` is the size that the group needed.
 */
export interface QuorumReached {
  readonly agreed: number
  readonly threshold: number
  readonly asked: number
  /** The number of super validators that can vote. */
  readonly voters: number
  /** The number of voters that an operator of this daemon set aside. Absent if it is 0. */
  readonly setAside?: number
  /**
   * `agreed`, `threshold` and `voters`, counted in operators. Absent if the configuration names no
   * operators.
   */
  readonly operators?: { readonly agreed: number; readonly threshold: number; readonly voters: number }
  /**
   * Whether the read is safe from f super validators that lie together
   * (quorum.md#loud-when-unprotected). False for a threshold below f+1, for f = 0 and for
   * `trust-single`.
   */
  readonly protected: boolean
}

interface SpliceErrorOptions {
  readonly retryAfter?: number
  readonly allow?: string
  readonly realm?: Realm
  readonly quorum?: QuorumReached
  readonly cause?: unknown
}

export type Realm = 'splice scan proxy realm' | 'splice ans realm' | 'splice wallet realm'

/** An error that a caller gets. The `code` names the cause, such as `noConsensus`. */
export class SpliceError extends Error {
  override readonly name = 'SpliceError'
  readonly code: SpliceErrorCode
  /** The values in the placeholders of the message, by name. */
  readonly values: TemplateValues
  readonly status: number
  /** True if the same request may succeed later without a change. */
  readonly retryable: boolean
  /** The value of the header `retry-after`, in seconds; undefined if the response has none. */
  readonly retryAfter: number | undefined
  /** The permitted methods of a 405, for the header `allow` (RFC 9110, 15.5.6). */
  readonly allow: string | undefined
  /** The realm of a 401, for the header `www-authenticate`. */
  readonly realm: Realm | undefined
  /** The votes that the read got. Present if super validators were asked and did not agree. */
  readonly quorum: QuorumReached | undefined

  constructor(code: SpliceErrorCode, values: TemplateValues = {}, options: SpliceErrorOptions = {}) {
    const row = spliceErrors[code]
    super(fillTemplate(row.text, values), { cause: options.cause })
    this.code = code
    this.values = values
    this.status = row.status
    this.retryable = row.retryable
    this.retryAfter = options.retryAfter
    this.allow = options.allow
    this.realm = options.realm
    this.quorum = options.quorum
  }
}
