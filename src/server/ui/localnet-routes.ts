import type { LRUCache } from 'lru-cache'
import { SpliceError } from '../../base/errors/splice.ts'
import { milliseconds } from '../../base/lib/clock.ts'
import type { NameService } from '../../localnet/automation/name-service.ts'
import type { Faults } from '../../localnet/faults.ts'
import type { Localnet } from '../../localnet/localnet.ts'
import { descriptionProblem, type EntryRequest, nameProblem, urlProblem } from '../../registry/names/name.ts'
import { userIdProblem } from '../../registry/names/users.ts'
import { readBytes } from '../http/body.ts'
import { inSpliceWords, type PlainRoute } from '../http/routes/route.ts'
import type { RefusedForm, ShownNode } from './model.ts'
import { formRoutes } from './responses.ts'
import { laterStepMs, liarsAt, type TourGround, tourAddress, tourName, tourSteps } from './tour.ts'
import { mostDays } from './views/localnet.ts'

export type LocalnetControls = ReturnType<typeof localnetControls>

/** The operations by which a visitor can see and change a localnet, the test network in this process. */
export function localnetControls(
  { faults: kinds, advance, healAll, ...localnet }: Localnet,
  names: NameService | undefined,
) {
  return {
    kinds,
    nodes: (): readonly ShownNode[] =>
      localnet.show().map(({ name, fault }) => ({
        name,
        faults: [fault].flat().flatMap((each) => (each as { kind: string } | null)?.kind ?? []),
      })),
    /** Injects a fault into a node, or removes all its faults if `kind` is undefined. */
    setFault: (name: string, kind: string | undefined) =>
      localnet.setFault(name, kind === undefined ? undefined : ({ kind } as Faults)),
    healAll,
    advance,
    registration: names && {
      acronym: names.acronym,
      async register(user: string, entry: EntryRequest) {
        try {
          await names.register(user, entry)
        } catch (error) {
          throw inSpliceWords(error, user)
        }
      },
    },
  }
}

type FormFields = Readonly<Record<string, string>>

/**
 * The input of visitors in rejected forms. The daemon answers such a form with a redirect to a page that
 * shows it again. A reload of that page does not send the form again.
 */
export type RefusedForms = LRUCache<string, RefusedForm>

const longestForm = 16_384
const toPage = 'localnet'

export function localnetRoutes(
  controls: LocalnetControls,
  refused: RefusedForms,
  f: () => number,
): readonly PlainRoute[] {
  const { registration, advance } = controls
  return [
    ...form('/ui/faults', 'fault', refused, (fields) => setFault(controls, fields)),
    ...form('/ui/tour', 'tour', refused, (fields) => takeStep(controls, f(), fields)),
    ...(advance === undefined
      ? []
      : form('/ui/clock', 'clock', refused, (fields) => moveClock(advance, fields))),
    ...(registration === undefined
      ? []
      : form('/ui/registrations', 'registration', refused, (fields) => register(registration, fields))),
  ]
}

function form(
  path: string,
  name: RefusedForm['form'],
  refused: RefusedForms,
  act: (fields: FormFields) => Promise<string>,
): readonly PlainRoute[] {
  return formRoutes(path, toPage, async (c) => {
    let typed: FormFields = {}
    try {
      const body = await readBytes(c.env.incoming, longestForm)
      typed = Object.fromEntries(new URLSearchParams(body.toString()))
      return await act(typed)
    } catch (error) {
      if (!(error instanceof SpliceError || error instanceof UnusableInput)) throw error
      const id = crypto.randomUUID()
      // The page shows only the day on which a name expires.
      const why = error.message.replaceAll(/(\d{4}-\d\d-\d\d)T[\d:.]+Z/g, '$1')
      refused.set(id, { form: name, why, typed })
      return `${toPage}?refused=${id}#refusal`
    }
  })
}

class UnusableInput extends Error {}

async function setFault(controls: LocalnetControls, { sv = '', kind, heal }: FormFields): Promise<string> {
  const { nodes, kinds, setFault: set } = controls
  if (heal === 'all') {
    await controls.healAll()
    return changed(heal)
  }
  if (!nodes().some(({ name }) => name === sv)) throw new UnusableInput(`No super validator is called ${sv}.`)
  if (kind !== undefined && !kinds.some((known) => known.kind === kind))
    throw new UnusableInput(`No fault is called ${kind}.`)
  await set(sv, kind)
  return changed(sv)
}

function changed(sv: string): string {
  return `${toPage}?${new URLSearchParams({ changed: sv })}#faults-heading`
}

async function moveClock(
  advance: NonNullable<LocalnetControls['advance']>,
  { days = '' }: FormFields,
): Promise<string> {
  const count = /^\d{1,3}$/.test(days.trim()) ? Number(days) : 0
  if (count < 1 || count > mostDays)
    throw new UnusableInput(`Type a whole number of days from 1 to ${mostDays}.`)
  await advance(count * milliseconds('1d'))
  return `${toPage}#clock-heading`
}

async function register(
  { acronym, register: begin }: NonNullable<LocalnetControls['registration']>,
  { name: chosen = '', user = '', url = '', description = '' }: FormFields,
): Promise<string> {
  const suffix = `.unverified.${acronym}`
  const typed = chosen.trim()
  const entry = { name: typed.endsWith(suffix) ? typed : `${typed}${suffix}`, url: url.trim(), description }
  const problems = [
    nameProblem(entry.name, acronym),
    user.trim() === '' ? 'Type the user that the name is for.' : userIdProblem(user.trim()),
    urlProblem(entry.url),
    descriptionProblem(description),
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new UnusableInput(problems.join(' ').replace('The url', 'The website'))
  await begin(user.trim(), entry)
  return `./?${new URLSearchParams({ by: 'name', q: entry.name })}#answer`
}

async function takeStep(controls: LocalnetControls, f: number, { step: id }: FormFields): Promise<string> {
  const superValidators = controls.nodes().map(({ name }) => name)
  const ground: TourGround = { superValidators, f, acronym: controls.registration?.acronym ?? 'cns' }
  const steps = tourSteps(ground)
  const place = steps.findIndex((step) => step.id === id)
  const step = steps[place]
  if (step === undefined) throw new UnusableInput(`The tour has no step called ${id}.`)
  if (step.kind === 'act') {
    const liars = liarsAt(step.id, ground)
    const others = superValidators.filter((name) => !liars.includes(name))
    if (liars.length === 0) await controls.healAll()
    else for (const name of others) await controls.setFault(name, undefined)
    for (const name of liars) await controls.setFault(name, 'lie')
  }
  if (step.id === 'later') await passTime(controls, ground.acronym)
  return tourAddress(step, place, ground)
}

async function passTime({ registration, advance }: LocalnetControls, acronym: string): Promise<void> {
  try {
    const name = tourName(acronym)
    await registration?.register('tour', { name, url: '', description: 'Registered by the tour' })
  } catch (error) {
    // Status 409 means that an earlier run of the tour registered the name.
    if (!(error instanceof SpliceError && error.status === 409)) throw error
  }
  await advance?.(laterStepMs)
}
