import { Link } from 'react-router';
import { texts } from '../texts.ts';

/** In place of a form: nobody can have the project. The text says why; the clients' page is where to go on. */
export const NoOwner = ({ text }: { text: string }) => (
  <>
    <p className="notice warn">{text}</p>
    <div className="actions end">
      <Link className="button primary" to="/clients">
        {texts.pages.clients}
      </Link>
    </div>
  </>
);
