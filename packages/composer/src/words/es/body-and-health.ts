import type { KindWords } from '../words.ts';

export const bodyAndHealth = {
  hairdresser: {
    noun: 'Peluquería',
    name: 'La Silla de la Ventana',
    heads: ['Un pelo que el lunes sigue en su sitio.', 'Primero escuchar. Luego cortar.', 'Sal más ligero.'],
    leads: [
      'Cortes y color que van con tu pelo, tu cara y tus diez minutos de la mañana.',
      'Siéntate, dinos qué te molesta de tu pelo y déjanos el resto.',
    ],
    offersLabel: 'Servicios',
    offersHead: 'Lo que hacemos',
    offers: [
      ['Corte', 'Una forma que crece bien, para cualquier largo y textura.'],
      ['Color', 'De un reflejo de luz a un capítulo nuevo.'],
      ['Tratamientos', 'Para el pelo que ha pasado mucho.'],
      ['Ocasiones', 'Bodas, fiestas, fotos: peinados que aguantan hasta el último baile.'],
    ],
    about: [
      'Todo empieza con una pregunta',
      '¿Cuánto tiempo dedicas por la mañana? Lo preguntamos antes de coger las tijeras. Un buen corte es el que sabes peinar tú.',
    ],
    action: 'Pedir cita',
    image: 'Dibujo de unas tijeras',
  },

  spa: {
    noun: 'Spa',
    name: 'Agua Quieta',
    heads: ['Una hora solo tuya.', 'El día se queda en la puerta.', 'Suelta el aire. Un poco más.'],
    leads: [
      'Masajes, faciales y salas tranquilas. Aquí no suena nada y nadie corre.',
      'Manos cálidas, toallas cálidas y todo el silencio que quieras.',
    ],
    offersLabel: 'Tratamientos',
    offersHead: 'Tiempo para ti',
    offers: [
      ['Masaje', 'Firme o suave: di dónde tira y seguimos nosotros.'],
      ['Facial', 'Cuidado para tu piel de hoy.'],
      ['Corporal', 'Exfoliación, envoltura, aceite, y después un largo descanso.'],
      ['En pareja', 'Uno al lado del otro, con una infusión al final.'],
    ],
    about: [
      'La calma forma parte',
      'Preferimos menos citas, para que la tuya no acabe con un golpe en la puerta. Antes de empezar preguntamos cómo estás. Después no hace falta decir nada.',
    ],
    action: 'Pedir un tratamiento',
    image: 'Dibujo de un loto sobre el agua',
  },

  yoga: {
    noun: 'Estudio de yoga',
    name: 'Mañana Lenta',
    heads: ['Ven como estés. Sal un poco más alto.', 'Tu esterilla y nada más.', 'Más fuerte, más suave, más lento.'],
    leads: [
      'Clases para espaldas rígidas, cabezas llenas y quienes creen que el yoga es para otros.',
      'Clases tranquilas con palabras claras: sabrás qué hacer y por qué sienta bien.',
    ],
    offersLabel: 'Clases',
    offersHead: 'Sobre la esterilla',
    offers: [
      ['Iniciación', 'Despacio, bien explicado, sin el pino. Prometido.'],
      ['Flow', 'Movimiento y aire, hasta que la cabeza calla.'],
      ['Descanso', 'Mantas, cojines, posturas largas. Lo contrario del esfuerzo.'],
      ['Particulares', 'Alrededor de tu cuerpo y de tu semana.'],
    ],
    about: [
      'Nadie te está mirando',
      'Aquí cada cual está ocupado con sus piernas. Avanzamos a pasos cortos, con una variante para cada cuerpo. Tambalearse forma parte.',
    ],
    action: 'Probar una clase',
    image: 'Dibujo de una persona meditando',
  },

  gym: {
    noun: 'Gimnasio',
    name: 'Hierro y Roble',
    heads: ['La fuerza es una costumbre.', 'Ven. El resto lo hacemos juntos.', 'Puedes más de lo que crees.'],
    leads: [
      'Entrenamiento con plan, entrenadores atentos a la técnica y gente que se saluda.',
      'Levantar, correr, estirar, sudar. Y alguien que nota que has mejorado.',
    ],
    offersLabel: 'Entrenamiento',
    offersHead: 'Maneras de entrenar',
    offers: [
      ['Fuerza', 'Primero la técnica, después el peso.'],
      ['Resistencia', 'Sesiones cortas y honestas. Lo notarás en la escalera.'],
      ['Personal', 'Un plan solo para ti, y alguien que te espera.'],
      ['Grupos', 'El mismo esfuerzo, más risas.'],
    ],
    about: [
      'No hacen falta espejos',
      'Nos importa más cómo te mueves que cómo se ve. Todo comienzo es pequeño: un plan, una primera sesión, otra más. Después casi todo es volver.',
    ],
    action: 'Pedir una prueba',
    image: 'Dibujo de una barra con pesas',
  },

  dentist: {
    noun: 'Clínica dental',
    name: 'Clínica Dental',
    heads: ['Buenos dientes, en buenas manos.', 'Odontología sin dramas.', 'Explicamos antes de empezar.'],
    leads: [
      'Tratamientos suaves, explicaciones claras y tiempo para la pregunta que siempre quisiste hacer.',
      'De la primera revisión a la prótesis: explicamos cada paso antes de darlo.',
    ],
    offersLabel: 'Tratamientos',
    offersHead: 'Lo que tratamos',
    offers: [
      ['Revisiones', 'Miramos de cerca, para que lo pequeño siga siéndolo.'],
      ['Limpieza', 'A fondo, y con consejos que se pueden seguir.'],
      ['Prótesis', 'Empastes, coronas y puentes, planeados contigo.'],
      ['Niños', 'Primeras visitas que hacen fácil la segunda.'],
    ],
    about: [
      '¿Miedo al dentista? Dilo.',
      'No eres la única persona. Hacemos pausas, explicamos qué vas a sentir y paramos en cuanto levantes la mano. El ritmo lo marcas tú.',
    ],
    action: 'Pedir cita',
    image: 'Dibujo de un diente',
  },

  physiotherapist: {
    noun: 'Centro de fisioterapia',
    name: 'Fisio en Marcha',
    heads: ['Volver a moverse.', 'El dolor es un mensaje. Lo leemos.', 'Moverse bien, mucho tiempo.'],
    leads: [
      'Buscamos de dónde viene, lo tratamos con las manos y te enseñamos qué ayuda en casa.',
      'Tratamiento tras lesiones y operaciones, y para espaldas demasiado tiempo sentadas.',
    ],
    offersLabel: 'Tratamientos',
    offersHead: 'Cómo ayudamos',
    offers: [
      ['Terapia manual', 'Manos expertas para articulaciones cansadas.'],
      ['Rehabilitación', 'Paso a paso hacia la fuerza, a tu ritmo.'],
      ['Espalda y cuello', 'Para quien pasa el día sentado, carga o duerme mal.'],
      ['Ejercicios', 'Caben en tu día, y así los haces.'],
    ],
    about: [
      'Tratamos personas, no rodillas',
      'Una rodilla puede doler por la cadera, los zapatos o el trabajo. Por eso preguntamos, miramos y probamos antes de tratar. Te vas con un plan.',
    ],
    action: 'Pedir cita',
    image: 'Dibujo de una columna vertebral',
  },

  vet: {
    noun: 'Clínica veterinaria',
    name: 'La Pata Amiga',
    heads: ['Para quienes no pueden decir dónde les duele.', 'Buen cuidado a cuatro patas.', 'También escuchamos ronroneos.'],
    leads: [
      'Medicina para perros, gatos y animales pequeños, con voz tranquila y mano cálida.',
      'De la primera vacuna a la vejez: tenemos tiempo para tu animal y para ti.',
    ],
    offersLabel: 'Servicios',
    offersHead: 'Lo que hacemos por ellos',
    offers: [
      ['Revisiones', 'Del hocico a la cola, antes de que sea grave.'],
      ['Vacunas', 'Lo que tu animal necesita, y nada más.'],
      ['Cirugía', 'Bien planeada, bien explicada, bien vigilada.'],
      ['Consejo', 'Comida, peso, conducta: pregúntanos antes que a internet.'],
    ],
    about: [
      'La calma se contagia',
      'Los animales lo notan todo, y a nosotros primero. Por eso hablamos bajo, les dejamos olfatear y empezamos cuando están listos.',
    ],
    action: 'Pedir cita',
    image: 'Dibujo de una huella',
  },
} satisfies Record<string, KindWords>;
