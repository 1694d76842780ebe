import { describe, expect, it } from '@jest/globals';
import { ConsolePage, PageController, type PageReply, pageBindingsOf, redirect } from './console-page.js';
import type { MemberVisit, PersonVisit, Visit } from './visit.js';

const reply = async (_visit: Visit): Promise<PageReply> => redirect('/');

@PageController({ path: '/documents/:id', access: 'owner', books: true, freshProof: true })
class DocumentPages {
  @ConsolePage({ method: 'GET', freshProof: false })
  show(visit: MemberVisit): Promise<PageReply> {
    return reply(visit);
  }

  @ConsolePage({ method: 'POST', path: '/cancel', changes: 'book', timeoutMs: 15_000 })
  cancel(visit: MemberVisit): Promise<PageReply> {
    return reply(visit);
  }
}

@PageController({ access: 'person' })
class FirstPages {
  @ConsolePage({ method: 'GET', path: '/' })
  show(visit: PersonVisit): Promise<PageReply> {
    return reply(visit);
  }

  @ConsolePage({ method: 'POST', path: '/language', access: 'anyone' })
  choose(visit: Visit): Promise<PageReply> {
    return reply(visit);
  }
}

describe('PageController', () => {
  it('a page has what its controller states and what it adds, and does without what it denies', () => {
    const shared = { path: '/documents/:id', access: 'owner', books: true };
    expect(pageBindingsOf(DocumentPages)).toEqual([
      { ...shared, method: 'GET' },
      {
        ...shared,
        method: 'POST',
        path: '/documents/:id/cancel',
        changes: 'book',
        timeoutMs: 15_000,
        freshProof: true,
      },
    ]);
    expect(pageBindingsOf(FirstPages).map(({ access, path }) => [access, path])).toEqual([
      ['person', '/'],
      ['anyone', '/language'],
    ]);
  });

  it('a public method that is bound to nothing, and a form of a business that does not state what it changes, stop the program', () => {
    expect(() => {
      @PageController({ access: 'reader' })
      class Unbound {
        show(visit: MemberVisit): Promise<PageReply> {
          return reply(visit);
        }
      }
      return Unbound;
    }).toThrow('Unbound.show needs @ConsolePage, or a # before its name');
    expect(() => {
      @PageController({ access: 'issuer', path: '/documents' })
      class Unsaid {
        @ConsolePage({ method: 'POST' })
        issue(visit: Visit): Promise<PageReply> {
          return reply(visit);
        }
      }
      return Unsaid;
    }).toThrow('Unsaid.issue has to state what its form changes');
  });

  it('a method that does not fit its page does not compile', () => {
    // @ts-expect-error A page of anyone gets no business.
    @PageController({ access: 'anyone' })
    class Anyone {
      @ConsolePage({ method: 'GET' })
      show(visit: MemberVisit): Promise<PageReply> {
        return reply(visit);
      }
    }
    // @ts-expect-error A page of a person gets no business.
    @PageController({ access: 'person' })
    class Person {
      @ConsolePage({ method: 'GET' })
      show(visit: MemberVisit): Promise<PageReply> {
        return reply(visit);
      }
    }
    // @ts-expect-error A page is answered with a page.
    @PageController({ access: 'person' })
    class Helper {
      @ConsolePage({ method: 'GET' })
      show(visit: PersonVisit): Promise<PageReply> {
        return reply(visit);
      }

      // @ts-expect-error The decorator of the method refuses it as well.
      @ConsolePage({ method: 'GET', path: '/name' })
      name({ language }: PersonVisit): string {
        return language;
      }
    }
    class Forms {
      // @ts-expect-error A form of a business states what it changes.
      @ConsolePage({ method: 'POST', path: '/settings' })
      save(visit: MemberVisit): Promise<PageReply> {
        return reply(visit);
      }
    }
    class Others {
      // @ts-expect-error A page that anyone may request gets no business, whatever its controller states.
      @ConsolePage({ method: 'GET', access: 'anyone' })
      show(visit: MemberVisit): Promise<PageReply> {
        return reply(visit);
      }
    }
    expect([Anyone, Person, Helper, Forms, Others]).toHaveLength(5);
  });
});
