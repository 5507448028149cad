import type { SectionName } from '../../sections/names.ts';
import type { SectionWords } from '../words.ts';

export const sections: Readonly<Record<SectionName, SectionWords>> = {
  hero: { names: 'portada, cabecera principal, apertura', heading: '', text: '' },
  pagehead: { names: 'título de página, encabezado de página', heading: '', text: '' },
  offers: { names: 'servicios, oferta, ofertas, productos, tratamientos, clases, habitaciones, trabajos', heading: '', text: '' },
  menu: {
    names: 'menú, carta, carta de vinos, carta de bebidas',
    heading: 'La carta',
    text: 'Cambia con la temporada. [Pregúntanos|Pregúntenos] qué hay hoy.',
    placeholder: 'Añada las líneas de la carta, por ejemplo: «añade a la carta: sopa de cebolla 7,50».',
  },
  prices: {
    names: 'precios, tarifas, lista de precios, honorarios, planes',
    heading: 'Precios claros',
    text: 'El precio depende de lo que [necesites|necesite]. [Pregúntanos|Pregúntenos]: [lo sabrás|lo sabrá] antes de empezar.',
    action: 'Pedir precio',
    placeholder: 'Añada sus precios, por ejemplo: «añade un precio: corte 35 €».',
  },
  about: { names: 'sobre nosotros, quiénes somos, acerca de', heading: '', text: '' },
  story: {
    names: 'historia, nuestra historia',
    heading: 'Por qué hacemos esto',
    text: '',
    placeholder: 'Cuente su propia historia: cuándo y cómo empezó, en tres frases.',
  },
  values: {
    names: 'valores, principios, lo que importa, compromiso',
    heading: 'Lo que nos importa',
    text: '',
    items: [
      ['Cuidado', 'Hacer menos cosas, y hacerlas bien.'],
      ['Claridad', 'Palabras sencillas sobre qué hacemos, cuánto cuesta y cuánto tarda.'],
      ['Cercanía', '[Hablas|Usted habla] con quienes hacen el trabajo.'],
    ],
  },
  steps: {
    names: 'pasos, proceso, cómo funciona, cómo trabajamos',
    heading: 'Cómo lo hacemos',
    text: '',
    items: [
      ['[Nos cuentas|Nos cuenta]', 'Por escrito o por teléfono. Bastan una o dos frases.'],
      ['Lo vemos juntos', 'Preguntamos lo necesario y decimos qué haríamos.'],
      ['Manos a la obra', 'Siempre [sabrás|sabrá] cuál es el siguiente paso y quién lo da.'],
    ],
  },
  team: {
    names: 'equipo, personal, plantilla',
    heading: 'Las personas de {name}',
    text: 'La mejor manera de conocernos es en persona.',
    placeholder: 'Presente a su equipo, por ejemplo: «añade al equipo a Ana Ruiz, panadera».',
  },
  gallery: { names: 'galería, fotos, imágenes, fotografías', heading: 'Un vistazo', text: '' },
  hours: {
    names: 'horario, horarios, horas de apertura, horario de apertura',
    heading: 'Horario',
    text: '[Pregúntanos|Pregúntenos] cuándo viene bien pasar.',
    placeholder: 'Añada su horario, por ejemplo: «horario: mar–sáb 7–18 h».',
  },
  visit: {
    names: 'ubicación, cómo llegar, dónde estamos, mapa, dirección',
    heading: 'Dónde estamos',
    text: '[Avísanos|Avísenos] antes de venir y explicamos cómo llegar mejor.',
    placeholder: 'Añada su dirección, por ejemplo: «nuestra dirección es calle del Puerto 12».',
  },
  contact: {
    names: 'contacto, formulario de contacto, contáctanos',
    heading: '[Escríbenos|Escríbanos]',
    text: 'Basta una frase. Leemos cada mensaje nosotros mismos.',
  },
  faq: {
    names: 'preguntas, preguntas frecuentes, faq, dudas',
    heading: 'Conviene saber',
    text: '',
    items: [
      ['¿Cómo contacto?', 'Con el formulario de esta página. [Di|Diga] de qué se trata y cómo podemos responder.'],
      ['¿Puedo preguntar sin compromiso?', 'Claro que sí. Una pregunta no obliga a nada.'],
      ['¿Qué conviene preparar?', 'Solo lo que [quieras|quiera] saber. Lo demás lo preguntamos nosotros.'],
    ],
  },
  banner: {
    names: 'llamada a la acción, banner, franja',
    heading: '',
    text: '[Escríbenos, o ven|Escríbanos, o venga] a vernos. Será un placer.',
  },
  statement: { names: 'lema, eslogan, frase destacada', heading: '', text: '' },
  quotes: {
    names: 'testimonios, opiniones, reseñas, lo que dicen los clientes',
    heading: 'Lo que dicen',
    text: '',
    placeholder: 'Añada la opinión de un cliente real, por ejemplo: añade la cita «Un pan maravilloso» de Ana.',
  },
  news: {
    names: 'noticias, novedades, blog, actualidad',
    heading: 'Novedades',
    text: 'Por ahora no hay nada nuevo. Cuando lo haya, estará aquí.',
    placeholder: 'Añada una noticia: «cambia el texto de novedades a …».',
  },
  dates: {
    names: 'fechas, eventos, agenda, calendario, programa',
    heading: 'Agenda',
    text: 'Ahora mismo no hay fechas anunciadas. [Pregúntanos|Pregúntenos] qué se prepara.',
    placeholder: 'Añada una fecha, por ejemplo: «añade un evento: 12 de mayo, cata».',
  },
  newsletter: {
    names: 'boletín, newsletter, lista de correo',
    heading: 'Una carta de vez en cuando',
    text: 'Novedades de {name}, por correo. La baja es posible en cualquier momento.',
  },
  booking: {
    names: 'reserva, reservas, formulario de reserva, pedir cita',
    heading: 'Pedir una fecha',
    text: '[Dinos|Díganos] cuándo vendría bien. La fecha queda fijada cuando la confirmemos.',
  },
  features: {
    names: 'ventajas, características, funciones, por qué nosotros',
    heading: 'Por qué {name}',
    text: '',
    items: [
      ['Una sola persona', '[Lo explicas|Lo explica] una vez, a alguien que se queda.'],
      ['Sin sorpresas', 'Si algo cambia, [lo sabrás|lo sabrá] primero por nosotros.'],
      ['Hecho para durar', 'Preferimos la solución que el año que viene siga sirviendo.'],
      ['Abiertos a preguntas', 'Nunca es demasiado pronto para preguntar.'],
    ],
  },
  area: {
    names: 'zona de servicio, zona, región, dónde trabajamos',
    heading: 'Dónde trabajamos',
    text: 'En {place} y alrededores. ¿Hay dudas? Basta con preguntar.',
    placeholder: 'Diga en qué municipios trabaja.',
  },
  jobs: {
    names: 'empleo, trabajo, vacantes, ofertas de empleo',
    heading: 'Trabajar con nosotros',
    text: '¿[Te|Le] gusta lo que hacemos? [Cuéntanos quién eres|Cuéntenos quién es] y qué [se te|se le] da bien.',
    action: 'Presentarse',
  },
  vouchers: {
    names: 'bonos regalo, tarjetas regalo, vales, regalos',
    heading: 'Un regalo de {name}',
    text: '¿[Buscas|Busca] algo para alguien especial? [Pregúntanos|Pregúntenos] por un vale.',
    action: 'Preguntar por vales',
  },
  season: {
    names: 'temporada, de temporada',
    heading: 'De temporada',
    text: 'El año marca el ritmo. [Pregúntanos|Pregúntenos] qué está ahora en su mejor momento.',
    placeholder: 'Diga qué es de temporada ahora mismo.',
  },
  emergency: {
    names: 'urgencias, urgencia, emergencia, emergencias',
    heading: '¿Es urgente?',
    text: 'Entonces, mejor llamar que escribir: dónde es y qué ha pasado.',
    placeholder: 'Añada el teléfono para urgencias.',
  },
  firstvisit: {
    names: 'primera visita, primera vez, antes de venir, principiantes, nuevos pacientes',
    heading: 'La primera visita',
    text: '',
    items: [
      ['Acordar una hora', '[Escríbenos y dinos cuándo puedes|Escríbanos y díganos cuándo puede] venir.'],
      ['Llegar con calma', '[Ven|Venga] unos minutos antes, con lo que pueda ser útil.'],
      ['Preguntarlo todo', 'Nos tomamos el tiempo de explicar qué hacemos y por qué.'],
    ],
  },
  links: {
    names: 'enlaces, redes sociales, redes',
    heading: 'En otros sitios',
    text: '',
    placeholder: 'Añada un enlace: «añade el enlace https://instagram.com/sunombre».',
  },
  custom: {
    names: 'sección de texto, bloque de texto, párrafo',
    heading: 'Una sección nueva',
    text: 'Espacio para algo que merece decirse.',
    placeholder: 'Escriba el texto de la sección nueva.',
  },
  imprint: {
    names: 'aviso legal, información legal',
    heading: 'Aviso legal',
    text: 'Responsable de este sitio: {name}.',
    placeholder: 'Complete el aviso legal (LSSI-CE): forma jurídica, domicilio, NIF, datos registrales, correo electrónico.',
  },
  privacy: {
    names: 'privacidad, política de privacidad, protección de datos',
    heading: 'Privacidad',
    text: 'Este sitio no usa cookies propias ni carga nada de terceros. Lo que se envía por un formulario sirve para responder, y para nada más.',
    items: [
      [
        'Derechos',
        'Es posible pedir acceso a los datos, su rectificación o su supresión, y reclamar ante una autoridad de protección de datos.',
      ],
    ],
    placeholder: 'Haga revisar la página de privacidad: responsable, alojamiento, plazo de conservación.',
  },
  thanks: { names: 'página de gracias', heading: 'Gracias.', text: 'El mensaje ha llegado.' },
  notfound: {
    names: 'página 404',
    heading: 'Esta página no está aquí.',
    text: 'Quizá se ha movido, o la dirección tiene una errata. Todo lo demás sigue en su sitio.',
  },
};
