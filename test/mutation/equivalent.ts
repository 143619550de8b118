/** The identity of a mutant, without line numbers. The members are those of `Mutant`, and `nth` is 1 by default. */
export interface Known {
  readonly file: string
  readonly within: string
  readonly from: string
  readonly to: string
  readonly nth?: number
}

/** Mutants that no test can kill, because the program does the same with them. */
export interface Equivalent {
  readonly why: string
  readonly mutants: readonly Known[]
}

export const equivalents: readonly Equivalent[] = [
  {
    why: 'Voters that are expected at the same time are drawn at random, so their earlier order does not matter.',
    mutants: [
      {
        file: 'src/quorum/asking-order.ts',
        within: 'fastestFirst',
        from: '(expectedMs[order[at - 1] as number] as number) > expected',
        to: '(expectedMs[order[at - 1] as number] as number) >= expected',
      },
    ],
  },
  {
    why: 'Exchanging the last voter with itself changes nothing.',
    mutants: [
      { file: 'src/quorum/asking-order.ts', within: 'shuffle', from: 'last > from', to: 'last >= from' },
    ],
  },
  {
    why: 'Nothing begins with a step that nobody gave, and everything is cut where no step departs.',
    mutants: [
      { file: 'src/quorum/dissenters.ts', within: 'companions', from: 'departed === undefined', to: 'false' },
      { file: 'src/quorum/dissenters.ts', within: 'companions', from: '[]', to: "['mutated']", nth: 2 },
    ],
  },
  {
    why: 'What is agreed as a whole has no length of its own, and so all of its steps are taken.',
    mutants: [
      {
        file: 'src/quorum/dissenters.ts',
        within: 'agreedSteps',
        from: "verdict.on === 'history'",
        to: 'true',
      },
    ],
  },
  {
    why: 'A list has no element one place beyond its ends, so nothing happens there.',
    mutants: [
      {
        file: 'src/quorum/asking-order.ts',
        within: 'askingOrder',
        from: 'from < order.length',
        to: 'from <= order.length',
      },
      {
        file: 'src/quorum/asking-order.ts',
        within: 'fastestFirst',
        from: 'voter < expectedMs.length',
        to: 'voter <= expectedMs.length',
      },
      { file: 'src/quorum/asking-order.ts', within: 'fastestFirst', from: 'at > 0', to: 'at >= 0' },
      { file: 'src/quorum/asking-order.ts', within: 'fastestFirst', from: 'at > 0', to: 'true' },
      {
        file: 'src/quorum/asking-order.ts',
        within: 'endOfEquals',
        from: 'end < order.length',
        to: 'end <= order.length',
      },
      { file: 'src/quorum/asking-order.ts', within: 'endOfEquals', from: 'end < order.length', to: 'true' },

      {
        file: 'src/quorum/dissenters.ts',
        within: 'votersWhose',
        from: 'voter < heard.length',
        to: 'voter <= heard.length',
      },
    ],
  },
  {
    why: 'An agreed list has an item, and a page has room for one: a refusal, which has none, dissents by that as well.',
    mutants: [
      { file: 'src/quorum/dissenters.ts', within: 'dissenters', from: "vote.kind !== 'value'", to: 'false' },
    ],
  },
  {
    why: 'The voters of an agreed history have replied with a value, and only values have steps.',
    mutants: [
      { file: 'src/quorum/dissenters.ts', within: 'stepsOf', from: "reply?.kind === 'value'", to: 'true' },
      { file: 'src/quorum/dissenters.ts', within: 'stepsOf', from: 'reply?.kind', to: 'reply.kind' },
      { file: 'src/quorum/dissenters.ts', within: 'stepsOf', from: '[]', to: "['mutated']", nth: 2 },
    ],
  },
  {
    why: 'The two are never equal there: keys and votes of one map differ, and what is equal was compared before.',
    mutants: [
      { file: 'src/quorum/items.ts', within: 'agreeOnItems', from: 'a.key < b.key', to: 'a.key <= b.key' },
      { file: 'src/quorum/items.ts', within: 'beats', from: 'a.later > b.later', to: 'a.later >= b.later' },
      {
        file: 'src/quorum/items.ts',
        within: 'beats',
        from: 'a.voters.length > b.voters.length',
        to: 'a.voters.length >= b.voters.length',
      },
      { file: 'src/quorum/items.ts', within: 'beats', from: 'a.vote < b.vote', to: 'a.vote <= b.vote' },
      {
        file: 'src/quorum/history.ts',
        within: 'isPreferred',
        from: 'a.length > b.length',
        to: 'a.length >= b.length',
      },
      {
        file: 'src/quorum/history.ts',
        within: 'isPreferred',
        from: 'a.voters.length > b.voters.length',
        to: 'a.voters.length >= b.voters.length',
      },
      {
        file: 'src/quorum/history.ts',
        within: 'isPreferred',
        from: 'textOf(a) < textOf(b)',
        to: 'textOf(a) <= textOf(b)',
      },
      { file: 'src/quorum/rules.ts', within: 'byRank', from: 'a.rank < b.rank', to: 'a.rank <= b.rank' },
      { file: 'src/quorum/tally.ts', within: 'bySize', from: 'a.vote < b.vote', to: 'a.vote <= b.vote' },
    ],
  },
  {
    why: 'The list that is put into the map is the one that is there.',
    mutants: [{ file: 'src/quorum/items.ts', within: 'versionsOf', from: 'rivals.length === 0', to: 'true' }],
  },
  {
    why: 'Two beginnings of one length differ within it, so that what comes after decides nothing.',
    mutants: [
      {
        file: 'src/quorum/history.ts',
        within: 'isPreferred.textOf',
        from: '(histories[voter] ?? []).slice(0, length)',
        to: 'histories[voter] ?? []',
      },
    ],
  },
  {
    why: 'Only voters that gave a history are looked up, and only steps that it has.',
    mutants: [
      { file: 'src/quorum/history.ts', within: 'isPreferred.textOf', from: '[]', to: "['mutated']" },
      {
        file: 'src/quorum/history.ts',
        within: 'continued',
        from: 'histories[voter]?.[length]',
        to: 'histories[voter][length]',
      },
      {
        file: 'src/quorum/history.ts',
        within: 'endsMoment',
        from: 'history?.[length - 1]?.moment',
        to: 'history[length - 1]?.moment',
      },
      {
        file: 'src/quorum/history.ts',
        within: 'endsMoment',
        from: 'history?.[length]?.moment',
        to: 'history[length]?.moment',
      },
    ],
  },
  {
    why: 'No voter has that name, so it is never found.',
    mutants: [
      { file: 'src/scan/ballots.ts', within: 'Ballots.#bodies', from: '[]', to: "['mutated']" },
      { file: 'src/scan/ballots.ts', within: 'Ballots.constructor', from: '[]', to: "['mutated']" },
    ],
  },
  {
    why: 'The shortcut only saves time: the longer way has the same result.',
    mutants: [
      { file: 'src/quorum/plan.ts', within: 'Plan.#wanted', from: 'this.#unasked.length === 0', to: 'false' },
      {
        file: 'src/quorum/rules.ts',
        within: 'situationOf',
        from: 'versions ??= versionsOf(heard)',
        to: 'versions = versionsOf(heard)',
      },
      {
        file: 'src/quorum/rules.ts',
        within: 'situationOf',
        from: 'prefix ??= longestPrefix(electorate, historiesIn(heard))',
        to: 'prefix = longestPrefix(electorate, historiesIn(heard))',
      },
      { file: 'src/quorum/tally.ts', within: 'tally', from: 'values.length > 1', to: 'values.length >= 1' },
      { file: 'src/quorum/tally.ts', within: 'tally', from: 'values.length > 1', to: 'true' },
      {
        file: 'src/quorum/tally.ts',
        within: 'tally',
        from: 'refusals.length > 1',
        to: 'refusals.length >= 1',
      },
      { file: 'src/quorum/tally.ts', within: 'tally', from: 'refusals.length > 1', to: 'true' },
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.#interpret',
        from: 'this.#absent ??= absentTextsOf(this.#question, this.#addedAbsentTexts)',
        to: 'this.#absent = absentTextsOf(this.#question, this.#addedAbsentTexts)',
      },
      { file: 'src/scan/judgement.ts', within: 'tryParse', from: 'isAscii(bytes)', to: 'false' },
      {
        file: 'src/scan/statement.ts',
        within: 'RefusalStatement.comparison',
        from: 'this.#comparison === undefined',
        to: 'true',
      },
      {
        file: 'src/scan/statement.ts',
        within: 'ValueStatement.comparison',
        from: 'this.#comparison ??= comparisonOf(this.#question.read, this.value)',
        to: 'this.#comparison = comparisonOf(this.#question.read, this.value)',
      },
      {
        file: 'src/scan/statement.ts',
        within: 'UnparsedValue.compare',
        from: "this.#comparing ??= this.#thread.compare(this.#question, this.bytes, this.#voter).then( (made) => {  ... digest(this.bytes)}`, excerpt: '' } }, )",
        to: "this.#comparing = this.#thread.compare(this.#question, this.bytes, this.#voter).then( (made) => { th ... digest(this.bytes)}`, excerpt: '' } }, )",
      },
    ],
  },
  {
    why: 'No verdict names the fault of a voter that was late.',
    mutants: [{ file: 'src/quorum/plan.ts', within: 'Plan.expire', from: "'timeout'", to: "''" }],
  },
  {
    why: 'Until a plan settles somebody is in flight, and once nobody is counted on any more everybody was asked.',
    mutants: [
      { file: 'src/quorum/plan.ts', within: 'Plan.expire', from: 'this.#closeIfDone(actions)', to: '' },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#closeIfDone',
        from: 'this.#verdict === undefined',
        to: 'false',
      },
    ],
  },
  {
    why: 'Where all of them are needed all of them are given, in one list or another.',
    mutants: [
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#firstUnasked',
        from: 'count < this.#unasked.length',
        to: 'count <= this.#unasked.length',
      },
    ],
  },
  {
    why: 'Only a fault has a kind of fault.',
    mutants: [
      { file: 'src/quorum/reply.ts', within: 'isOwnLimit', from: "reply.kind === 'fault'", to: 'true' },
    ],
  },
  {
    why: 'Only replies to reads that are agreed so have such parts.',
    mutants: [
      { file: 'src/quorum/rules.ts', within: 'rules', from: "s.policy.agree === 'history'", to: 'true' },
      { file: 'src/quorum/rules.ts', within: 'rules', from: "s.policy.agree === 'items'", to: 'true' },
      {
        file: 'src/quorum/rules.ts',
        within: 'rules',
        from: "s.policy.agree === 'history'",
        to: 'true',
        nth: 2,
      },
      { file: 'src/quorum/rules.ts', within: 'valueCanWin', from: "policy.agree !== 'history'", to: 'false' },
    ],
  },
  {
    why: 'Once all were heard a beginning that wins has decided before, by the row above.',
    mutants: [
      { file: 'src/quorum/rules.ts', within: 'valueCanWin', from: 's.prefix().length > 0', to: 'false' },
    ],
  },
  {
    why: 'A list with a second element also has a first.',
    mutants: [
      {
        file: 'src/quorum/rules.ts',
        within: 'largestAlone',
        from: 'first?.members.length',
        to: 'first.members.length',
      },
    ],
  },
  {
    why: 'Values come the largest first, and sorting keeps that order for those of one rank.',
    mutants: [
      { file: 'src/quorum/rules.ts', within: 'byRank', from: 'a.rank === b.rank', to: 'false' },
      { file: 'src/quorum/rules.ts', within: 'byRank', from: '0', to: 'undefined' },
    ],
  },
  {
    why: 'A refusal has no rank.',
    mutants: [{ file: 'src/quorum/tally.ts', within: 'groupOf', from: "reply.kind === 'value'", to: 'true' }],
  },
  {
    why: 'A refusal and a value never have the same canonical text, and a refusal has no items.',
    mutants: [
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.print',
        from: "statement.kind === 'value'",
        to: 'true',
      },
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.#compared',
        from: 'other.kind !== statement.kind',
        to: 'false',
      },
      { file: 'src/scan/ballots.ts', within: 'Ballots.#rivalsOf', from: 'other.kind === kind', to: 'true' },
    ],
  },
  {
    why: 'A value that was printed when it was judged is printed alike again.',
    mutants: [
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.print',
        from: "choice.on === 'whole' && first instanceof UnparsedValue",
        to: "choice.on === 'whole' || first instanceof UnparsedValue",
      },
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.print',
        from: "choice.on === 'whole' && first instanceof UnparsedValue",
        to: 'true',
      },
      { file: 'src/scan/ballots.ts', within: 'Ballots.print', from: "choice.on === 'whole'", to: 'true' },
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.print',
        from: 'first instanceof UnparsedValue',
        to: 'true',
      },
    ],
  },
  {
    why: 'The code there throws no other error.',
    mutants: [
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.#judgedElsewhere',
        from: 'error instanceof JudgeFailed',
        to: 'true',
      },
      {
        file: 'src/scan/judgement.ts',
        within: 'tryParse',
        from: 'error instanceof MisshapenJson',
        to: 'true',
      },
    ],
  },
  {
    why: 'A read that is agreed as a whole has no parts, whoever asks for them.',
    mutants: [
      { file: 'src/scan/ballots.ts', within: 'Ballots.#counted', from: "agree.on === 'whole'", to: 'false' },
      { file: 'src/scan/ballots.ts', within: 'Ballots.#counted', from: "'whole'", to: "''" },
    ],
  },
  {
    why: 'Without texts that mean absence none of them is found.',
    mutants: [
      {
        file: 'src/scan/response-without-value.ts',
        within: 'absenceOr',
        from: 'first !== undefined',
        to: 'true',
      },
    ],
  },
  {
    why: 'Both values were compared before.',
    mutants: [
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.#compared',
        from: 'other.comparison?.digest',
        to: 'other.comparison.digest',
      },
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.#compared',
        from: 'statement.comparison?.digest',
        to: 'statement.comparison.digest',
      },
    ],
  },
  {
    why: 'The true value replaces it before any code reads it.',
    mutants: [
      {
        file: 'src/scan/ballots.ts',
        within: 'unheard',
        from: "{ kind: 'fault', fault: 'timeout' }",
        to: '{}',
      },
      { file: 'src/scan/ballots.ts', within: 'unheard', from: "'fault'", to: "''" },
      { file: 'src/scan/ballots.ts', within: 'unheard', from: "'timeout'", to: "''" },
    ],
  },
  {
    why: 'A value that is no text cannot begin with the text of an unloaded history.',
    mutants: [
      {
        file: 'src/scan/response-without-value.ts',
        within: 'abstentionOr',
        from: "typeof text !== 'string'",
        to: 'false',
      },
    ],
  },
  {
    why: 'A reply with the status 400 is a definite refusal and never reaches this code.',
    mutants: [
      {
        file: 'src/scan/response-without-value.ts',
        within: 'faultOfStatus',
        from: 'status < 400',
        to: 'status <= 400',
      },
    ],
  },
  {
    why: 'An error there also means that the body is misshapen.',
    mutants: [
      { file: 'src/scan/judgement.ts', within: 'judgementOf', from: 'reading === undefined', to: 'false' },
    ],
  },
  {
    why: 'Deleting a missing key changes nothing.',
    mutants: [
      { file: 'src/cache/answers.ts', within: 'Answers.#fly', from: 'kept !== undefined', to: 'true' },
    ],
  },
  {
    why: 'A signal aborts once.',
    mutants: [
      { file: 'src/cache/single-flight.ts', within: 'Flight.join', from: '{ once: true }', to: '{}' },
      { file: 'src/cache/single-flight.ts', within: 'Flight.join', from: 'true', to: 'false' },
    ],
  },
  {
    why: 'A connection that is closed already is closed, and has nothing to retry or to cancel.',
    mutants: [
      {
        file: 'src/cache/invalidations.redis.ts',
        within: 'RedisInvalidations.#publishLater',
        from: '!this.#closed',
        to: 'true',
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#rest',
        from: '{ once: true }',
        to: '{}',
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#rest',
        from: 'true',
        to: 'false',
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#rest',
        from: "'abort'",
        to: "''",
        nth: 2,
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#rest',
        from: "this.#closing.signal.removeEventListener('abort', wake)",
        to: '',
      },
      {
        file: 'src/cache/redis-breaker.ts',
        within: 'RedisBreaker.#ping',
        from: 'this.#closed || this.#cancelPing === undefined',
        to: 'this.#closed && this.#cancelPing === undefined',
      },
      {
        file: 'src/cache/redis-breaker.ts',
        within: 'RedisBreaker.#ping',
        from: 'this.#closed || this.#cancelPing === undefined',
        to: 'false',
      },
      {
        file: 'src/cache/redis-breaker.ts',
        within: 'RedisBreaker.#ping',
        from: 'this.#cancelPing === undefined',
        to: 'false',
      },
    ],
  },
  {
    why: 'An older invalidation of one topic says nothing that the invalidation of everything does not say.',
    mutants: [
      {
        file: 'src/cache/invalidation-log.ts',
        within: 'InvalidationLog.#note',
        from: 'this.#topics.clear()',
        to: '',
      },
    ],
  },
  {
    why: 'An invalidation that is forgotten is in the stream behind the last invalidation of everything, or not in it yet, and then is placed again.',
    mutants: [
      {
        file: 'src/cache/invalidation-log.ts',
        within: 'InvalidationLog.#forgetOldest',
        from: 'isLaterId(position, this.#everything.position)',
        to: 'true',
      },
    ],
  },
  {
    why: 'Only seconds of the real clock tell these apart, for which no test waits.',
    mutants: [
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#follow',
        from: 'systemClock.now() - asked < blockMs / 2',
        to: 'systemClock.now() - asked >= blockMs / 2',
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#follow',
        from: 'systemClock.now() - asked < blockMs / 2',
        to: 'false',
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#follow',
        from: 'systemClock.now() - asked < blockMs / 2',
        to: 'true',
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#follow',
        from: 'systemClock.now() - asked',
        to: 'systemClock.now() + asked',
      },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#follow',
        from: 'blockMs / 2',
        to: 'blockMs * 2',
      },
    ],
  },
  {
    why: 'No two moments of the real clock are exactly so far apart.',
    mutants: [
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'InvalidationStream.#follow',
        from: 'systemClock.now() - asked < blockMs / 2',
        to: 'systemClock.now() - asked <= blockMs / 2',
      },
    ],
  },
  {
    why: 'A destroyed socket delivers nothing more, whatever its last push returned.',
    mutants: [{ file: 'src/cache/redis-socket.ts', within: 'guarded.end', from: 'false', to: 'true' }],
  },
  {
    why: 'The text of the whole match is not used.',
    mutants: [{ file: 'src/cache/resp-guard.ts', within: 'RespGuard.#error', from: '[]', to: "['mutated']" }],
  },
  {
    why: 'It is read where there is such a field, and a text that is none is no invalidation.',
    mutants: [
      { file: 'src/cache/invalidation-stream.ts', within: 'tryInvalidation', from: "''", to: "'mutated'" },
      {
        file: 'src/cache/invalidation-stream.ts',
        within: 'tryInvalidation',
        from: "''",
        to: "'mutated'",
        nth: 2,
      },
    ],
  },
  {
    why: 'Only Sentinels, a Cluster, or servers over TLS show it: `npm run test:redis` has groups of servers.',
    mutants: [
      { file: 'src/cache/redis-client.ts', within: 'openRedis.connect', from: 'true', to: 'false' },
      {
        file: 'src/cache/redis-client.ts',
        within: 'openRedis.connect',
        from: 'withoutSubscriber(cluster)',
        to: '',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: 'sentinelUsername === undefined',
        to: 'sentinelUsername !== undefined',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: 'sentinelUsername === undefined',
        to: 'true',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: 'sentinelUsername === undefined',
        to: 'false',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: '{ username: sentinelUsername }',
        to: '{}',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: 'sentinelPassword === undefined',
        to: 'sentinelPassword !== undefined',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: 'sentinelPassword === undefined',
        to: 'true',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: 'sentinelPassword === undefined',
        to: 'false',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'sentinelOptions',
        from: '{ password: sentinelPassword }',
        to: '{}',
      },
      { file: 'src/cache/redis-client.ts', within: 'sentinelOptions', from: 'tls', to: 'false' },
      { file: 'src/cache/redis-client.ts', within: 'sentinelOptions', from: '{ tls: {} }', to: '{}' },
      { file: 'src/cache/redis-client.ts', within: 'withoutSubscriber', from: 'null', to: 'undefined' },
      {
        file: 'src/cache/redis-client.ts',
        within: 'withoutSubscriber',
        from: "Object.defineProperty(cluster, 'subscriber', { value: none })",
        to: '',
      },
      { file: 'src/cache/redis-client.ts', within: 'withoutSubscriber', from: "'subscriber'", to: "''" },
      { file: 'src/cache/redis-client.ts', within: 'withoutSubscriber', from: '{ value: none }', to: '{}' },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "quiet(sentinel).on('message', (_channel: string, message: string) => { // Disconnecting a client whi ... (`${name} `)) client.disconnect(true) })",
        to: '',
      },
      { file: 'src/cache/redis-client.ts', within: 'leaveAtFailover', from: "'message'", to: "''" },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'connect' || client.status === 'ready'",
        to: "client.status === 'connect' && client.status === 'ready'",
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'connect' || client.status === 'ready'",
        to: 'true',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'connect' || client.status === 'ready'",
        to: 'false',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'connect'",
        to: "client.status !== 'connect'",
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'connect'",
        to: 'true',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'connect'",
        to: 'false',
      },
      { file: 'src/cache/redis-client.ts', within: 'leaveAtFailover', from: "'connect'", to: "''" },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'ready'",
        to: "client.status !== 'ready'",
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'ready'",
        to: 'true',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.status === 'ready'",
        to: 'false',
      },
      { file: 'src/cache/redis-client.ts', within: 'leaveAtFailover', from: "'ready'", to: "''" },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: 'isConnected && message.startsWith(`${name} `)',
        to: 'isConnected || message.startsWith(`${name} `)',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: 'isConnected && message.startsWith(`${name} `)',
        to: 'true',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: 'isConnected && message.startsWith(`${name} `)',
        to: 'false',
      },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: 'message.startsWith(`${name} `)',
        to: 'message.endsWith(`${name} `)',
      },
      { file: 'src/cache/redis-client.ts', within: 'leaveAtFailover', from: '`${name} `', to: "''" },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: 'client.disconnect(true)',
        to: '',
      },
      { file: 'src/cache/redis-client.ts', within: 'leaveAtFailover', from: 'true', to: 'false' },
      { file: 'src/cache/redis-client.ts', within: 'leaveAtFailover', from: "'+switch-master'", to: "''" },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: "client.once('end', () => sentinel.disconnect())",
        to: '',
      },
      { file: 'src/cache/redis-client.ts', within: 'leaveAtFailover', from: "'end'", to: "''" },
      {
        file: 'src/cache/redis-client.ts',
        within: 'leaveAtFailover',
        from: 'sentinel.disconnect()',
        to: 'undefined',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.check',
        from: "role === undefined || role === 'master'",
        to: 'true',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.check',
        from: 'role === undefined',
        to: 'role !== undefined',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.check',
        from: 'role === undefined',
        to: 'true',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.check',
        from: 'role === undefined',
        to: 'false',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.check',
        from: "role === 'master'",
        to: 'true',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'round++',
        to: 'round--',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'asked < addresses.length',
        to: 'asked <= addresses.length',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'asked++',
        to: 'asked--',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'turn++ % addresses.length',
        to: 'turn++ * addresses.length',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'turn++',
        to: 'turn--',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: '!this.connecting',
        to: 'false',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: '!this.connecting',
        to: 'true',
        nth: 2,
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'master === undefined',
        to: 'false',
      },
      { file: 'src/cache/redis-socket.ts', within: 'connectorToMaster.connect', from: 'tls', to: 'false' },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'this.stream = socket',
        to: '',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'await new Promise<void>((resolve) => systemClock.after(retryMs(round), resolve))',
        to: '',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: 'systemClock.after(retryMs(round), resolve)',
        to: 'undefined',
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: '!this.connecting',
        to: 'this.connecting',
        nth: 2,
      },
      {
        file: 'src/cache/redis-socket.ts',
        within: 'connectorToMaster.connect',
        from: '!this.connecting',
        to: 'false',
        nth: 2,
      },
      { file: 'src/cache/redis-socket.ts', within: 'namedBy', from: 'null', to: 'undefined' },
      { file: 'src/cache/redis-socket.ts', within: 'namedBy', from: "client.on('error', () => {})", to: '' },
      { file: 'src/cache/redis-socket.ts', within: 'namedBy', from: "'error'", to: "''" },
      { file: 'src/cache/redis-socket.ts', within: 'namedBy', from: 'named === null', to: 'false' },
      { file: 'src/cache/redis-socket.ts', within: 'namedBy', from: 'client.disconnect()', to: '' },
      { file: 'src/cache/redis-socket.ts', within: 'open', from: '{ host, port, ...tls }', to: '{}' },
      { file: 'src/cache/redis-reply-limits.ts', within: 'clusterNode', from: 'true', to: 'false' },
      {
        file: 'src/cache/redis-reply-limits.ts',
        within: 'subscribed',
        from: "name === 'subscribe'",
        to: 'true',
      },
    ],
  },
  {
    why: 'A client that is not ready fails the ping at once.',
    mutants: [
      {
        file: 'src/cache/redis-breaker.ts',
        within: 'RedisBreaker.#ping',
        from: "this.#client.status === 'ready'",
        to: 'true',
      },
    ],
  },
  {
    why: 'A client of Redis rejects with errors only.',
    mutants: [
      { file: 'src/cache/redis-breaker.ts', within: 'failure', from: 'error instanceof Error', to: 'true' },
    ],
  },
  {
    why: 'No code reads from a destroyed socket.',
    mutants: [{ file: 'src/cache/redis-socket.ts', within: 'guarded', from: 'false', to: 'true' }],
  },
  {
    why: 'The form of a URL has a text at each of these places, or none that matters.',
    mutants: [
      { file: 'src/cache/redis-url.ts', within: 'parseRedisUrl', from: "''", to: "'mutated'" },
      { file: 'src/cache/redis-url.ts', within: 'parseRedisUrl', from: "''", to: "'mutated'", nth: 4 },
    ],
  },
  {
    why: 'No command has such an argument, and one without any has none of the names that are told apart by it.',
    mutants: [{ file: 'src/cache/resp-guard.ts', within: 'RespGuard.sent', from: "''", to: "'mutated'" }],
  },
  {
    why: 'An error is no answer, whatever its name is.',
    mutants: [{ file: 'src/cache/resp-guard.ts', within: 'RespGuard.#error', from: "'failed'", to: "''" }],
  },
  {
    why: 'A pipeline that gives nothing has failed, whatever is put in its place.',
    mutants: [
      {
        file: 'src/cache/store.redis.ts',
        within: 'RedisStore.#getWithTimeToLive',
        from: '[]',
        to: "['mutated']",
      },
    ],
  },
]
